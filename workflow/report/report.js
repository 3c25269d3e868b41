"use strict";
// Filters of the verdict table. The page holds everything without them.
(() => {
  const form = document.getElementById("filters");
  const claims = [...document.querySelectorAll(".ledger tbody tr")];
  const fields = ["paper", "verdict", "source", "text"];
  const field = (name) => form.elements[name];
  const words = new Map(claims.map((row) => [row, row.textContent.toLowerCase()]));

  const filter = () => {
    const sought = field("text").value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of claims) {
      const fits = ["paper", "verdict", "source"].every((name) => !field(name).value || field(name).value === row.dataset[name])
        && sought.every((word) => words.get(row).includes(word));
      row.hidden = !fits;
      shown += fits;
    }
    form.querySelector("output").textContent = `${shown} of ${claims.length} claims shown`;
  };

  // The filters stand in the address, so that a view can be shared: #verdict=mixed&paper=tomo2025
  const remember = () => {
    const set = fields.filter((name) => field(name).value).map((name) => `${name}=${encodeURIComponent(field(name).value)}`);
    history.replaceState(null, "", set.length ? `#${set.join("&")}` : location.pathname + location.search);
  };

  const goTo = (id) => {
    const target = document.getElementById(id);
    if (!target) return;
    if (target.closest(".ledger") && target.hidden) { form.reset(); filter(); }
    for (let box = target; box; box = box.parentElement) if (box.tagName === "DETAILS") box.open = true;
    target.scrollIntoView({ block: target.tagName === "TR" ? "center" : "start" });
  };

  const readAddress = () => {
    const hash = location.hash.slice(1);
    if (!hash.includes("=")) {
      if (hash) goTo(decodeURIComponent(hash));
      return;
    }
    const found = new URLSearchParams(hash);
    for (const name of fields) field(name).value = found.get(name) ?? "";
    filter();
  };

  form.hidden = false;
  form.addEventListener("input", () => { filter(); remember(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => { filter(); remember(); }));
  for (const chip of document.querySelectorAll(".counts a")) {
    chip.addEventListener("click", () => { field("verdict").value = chip.dataset.verdict; filter(); setTimeout(remember); });
  }
  // A second click on the same link finds what was closed since.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link && link.hash === location.hash && !link.hash.includes("=")) goTo(decodeURIComponent(link.hash.slice(1)));
  });
  addEventListener("hashchange", readAddress);
  filter();
  readAddress();
})();
