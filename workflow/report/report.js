"use strict";
// The menu, links into folded parts, and the filters of the verdicts. The page has everything without them.
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

  const form = document.getElementById("filters");
  const claims = [...document.querySelectorAll(".claim")];
  const papers = [...document.querySelectorAll(".claims")];
  const texts = new Map(claims.map((claim) => [claim, claim.textContent.toLowerCase()]));
  const fields = form ? [...form.elements].filter((one) => one.name) : [];
  const fits = (claim) => fields.every(({ name, value }) => {
    if (!value) return true;
    if (name === "text") return value.toLowerCase().split(/\s+/).every((word) => texts.get(claim).includes(word));
    return claim.dataset[name].split("|").includes(value);
  });

  const filter = () => {
    const filtered = fields.some((one) => one.value);
    for (const claim of claims) claim.hidden = !fits(claim);
    for (const paper of papers) {
      paper.hidden = !paper.querySelector(".claim:not([hidden])");
      if (filtered) paper.open = !paper.hidden;
    }
    const shown = claims.filter((claim) => !claim.hidden).length;
    form.querySelector("output").textContent = shown
      ? `${shown} of ${claims.length} claims shown`
      : "No claim fits all of these filters. “Show all” removes them.";
  };

  // The filters are in the address, so that a view can be shared: #answer=partly&paper=tomo2025
  const remember = () => {
    const set = fields.filter((one) => one.value).map((one) => `${one.name}=${encodeURIComponent(one.value)}`);
    history.replaceState(null, "", set.length ? `#${set.join("&")}` : location.pathname + location.search);
  };

  const goTo = (id) => {
    const target = document.getElementById(id);
    if (!target) return;
    if (target.matches(".claim[hidden]")) { form.reset(); filter(); }
    for (let box = target; box; box = box.parentElement) if (box.tagName === "DETAILS") box.open = true;
    target.scrollIntoView({ block: target.tagName === "TR" ? "center" : "start" });
  };

  const readAddress = () => {
    const hash = location.hash.slice(1);
    if (!form || !hash.includes("=")) {
      if (hash) goTo(decodeURIComponent(hash));
      return;
    }
    const wanted = new URLSearchParams(hash);
    for (const one of fields) one.value = wanted.get(one.name) ?? "";
    filter();
    document.getElementById("verdicts").scrollIntoView();
  };

  if (form) {
    form.hidden = false;
    form.addEventListener("input", () => { filter(); remember(); });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(() => {
      filter();
      remember();
      for (const paper of papers) paper.open = false;
    }));
    filter();
  }
  // A second click on the same link finds what was closed since.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link && link.hash === location.hash) readAddress();
  });
  addEventListener("beforeprint", () => { for (const box of document.querySelectorAll("details:not(.rows)")) box.open = true; });
  addEventListener("hashchange", readAddress);
  readAddress();
})();
