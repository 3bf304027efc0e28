/* What scrolls sideways can be scrolled with the keyboard, and each landmark has a name. */
document.addEventListener("DOMContentLoaded", () => {
  const reach = () => document.querySelectorAll("article pre, article .table-wrapper, figure").forEach(box => {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  });
  reach();
  addEventListener("resize", reach);
  document.querySelector("aside.sidebar-drawer")?.setAttribute("aria-label", "Site");
  document.querySelector("aside.toc-drawer")?.setAttribute("aria-label", "Page");
});
