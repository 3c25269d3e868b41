"use strict";
// The menu, and links into folded parts. The page has everything without them.
(() => {
  const menu = document.querySelector(".menu");
  const narrow = matchMedia("(max-width: 62rem)");
  const fold = () => { menu.open = !narrow.matches; };
  narrow.addEventListener("change", fold);
  fold();
  menu.addEventListener("click", (event) => { if (narrow.matches && event.target.closest("a")) menu.open = false; });
  menu.addEventListener("keydown", (event) => {
    if (narrow.matches && event.key === "Escape") { menu.open = false; menu.querySelector("summary").focus(); }
  });

  const goTo = (id) => {
    const target = document.getElementById(id);
    if (!target) return;
    for (let box = target; box; box = box.parentElement) if (box.tagName === "DETAILS") box.open = true;
    (target.closest("tr") ?? target).scrollIntoView({ block: target.tagName === "TR" ? "center" : "start" });
  };

  // Without a script these lead to the verdicts, and with it to some of them.
  for (const link of document.querySelectorAll("a[data-state]")) link.href = `#${link.dataset.state}`;

  // What has a "=" is the state of the ledger.
  const readAddress = () => {
    const hash = location.hash.slice(1);
    if (hash && !hash.includes("=")) goTo(hash);
  };
  // A second click on the same link finds what was closed since, and what the ledger showed.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link && link.hash === location.hash) dispatchEvent(new HashChangeEvent("hashchange"));
  });
  addEventListener("beforeprint", () => { for (const box of document.querySelectorAll("details:not(.rows)")) box.open = true; });
  addEventListener("hashchange", readAddress);
  readAddress();
})();
