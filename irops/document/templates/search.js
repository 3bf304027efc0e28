"use strict";
const entries = {{ entries | safe }};
const box = document.getElementById("search"), list = document.getElementById("results");
let selected = -1;
function score(entry, words) {
  const name = entry.name.toLowerCase(), text = [entry.name, entry.keywords || "", entry.text, entry.kind].join(" ").toLowerCase();
  if (!words.every(word => text.includes(word))) return 0;
  return words.reduce((sum, word) => sum + (name.startsWith(word) ? 4 : name.includes(word) ? 2 : 1), 0);
}
function show() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  const best = words.length ? entries.map(e => [score(e, words), e]).filter(p => p[0] > 0).sort((a, b) => b[0] - a[0]).slice(0, 12) : [];
  selected = -1;
  list.replaceChildren(...best.map(([, entry]) => {
    const item = document.createElement("li"), link = document.createElement("a"), small = document.createElement("small");
    link.href = box.dataset.root + entry.path;
    link.textContent = entry.name;
    small.textContent = entry.text;
    link.append(small);
    item.append(link);
    return item;
  }));
  if (words.length && !best.length) {
    const item = document.createElement("li");
    item.textContent = "no results";
    list.append(item);
  }
  list.hidden = !words.length;
}
function pick(step) {
  const links = list.querySelectorAll("a");
  if (!links.length) return;
  links.forEach(link => link.classList.remove("selected"));
  selected = (selected + step + links.length) % links.length;
  links[selected].classList.add("selected");
  links[selected].scrollIntoView({ block: "nearest" });
}
box.addEventListener("input", show);
box.addEventListener("keydown", event => {
  if (event.key === "ArrowDown") { pick(1); event.preventDefault(); }
  else if (event.key === "ArrowUp") { pick(-1); event.preventDefault(); }
  else if (event.key === "Enter") { const links = list.querySelectorAll("a"); if (links.length) location.href = links[Math.max(selected, 0)].href; }
  else if (event.key === "Escape") { box.value = ""; show(); }
});
document.addEventListener("click", event => { if (!event.target.closest(".search")) list.hidden = true; });
