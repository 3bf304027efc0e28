/* Tables fit into their page; menus and what scrolls sideways can be used with the keyboard; each landmark has a name. */
document.addEventListener("DOMContentLoaded", () => {
  const boxes = [...document.querySelectorAll("article .table-wrapper")];
  document.querySelectorAll("article .table-wrapper table").forEach(table => {
    const titles = [...(table.tHead?.rows[0].cells ?? [])].map(cell => cell.textContent.trim());
    for (const { rows } of table.tBodies) for (const { cells } of rows) {
      [...cells].forEach((cell, k) => {
        cell.classList.toggle("empty", !cell.textContent.trim());
        if (k && titles[k]) cell.dataset.title = titles[k];
      });
    }
  });
  const reach = () => {
    boxes.forEach(box => box.classList.remove("stacked"));
    const wide = boxes.filter(box => box.scrollWidth > box.clientWidth + 1); // all are measured before one changes
    wide.forEach(box => box.classList.add("stacked"));
    document.querySelectorAll("article pre, article .table-wrapper, figure").forEach(box => {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    });
  };
  reach();
  addEventListener("resize", reach);
  document.querySelectorAll("label.nav-overlay-icon, label.toc-overlay-icon").forEach(label => {
    const toggle = document.getElementById(label.htmlFor), button = document.createElement("button");
    Object.assign(button, { className: label.className, ariaLabel: toggle.ariaLabel, ariaExpanded: "false" });
    button.append(...label.childNodes);
    button.addEventListener("click", event => {
      toggle.click();
      const drawer = document.querySelector(toggle.id === "__toc" ? ".toc-drawer" : ".sidebar-drawer");
      if (toggle.checked && event.detail === 0) requestAnimationFrame(() => drawer.querySelector("a.reference")?.focus());
    });
    toggle.addEventListener("change", () => { button.ariaExpanded = String(toggle.checked); });
    label.replaceWith(button);
  });
  addEventListener("keydown", event => {
    if (event.key === "Escape") document.querySelectorAll(".sidebar-toggle").forEach(toggle => { toggle.checked = false; });
  });
  document.querySelectorAll("dt > dl").forEach(list => { // the parameters of a signature, which are no definitions
    const lines = Object.assign(document.createElement("div"), { className: "parameters" });
    for (const entry of list.children) lines.append(Object.assign(document.createElement("div"), { innerHTML: entry.innerHTML }));
    list.replaceWith(lines);
  });
  document.querySelector("aside.sidebar-drawer")?.setAttribute("aria-label", "Site");
  document.querySelector("aside.toc-drawer")?.setAttribute("aria-label", "Page");
});
