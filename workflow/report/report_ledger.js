"use strict";
// The table of claims, in the report and on the site: filters, sorting, and both in the address, so that a link can carry
// them: #answer=partly&sort=-claim. Without it the page has the whole table. The box names the columns to filter by.
(() => {
  const box = document.querySelector(".ledger");
  if (!box) return;
  const table = box.querySelector("table"), [body] = table.tBodies, rows = [...body.rows], fold = table.closest("details");
  const heads = [...table.tHead.rows[0].cells], labels = heads.map((head) => head.textContent.trim());
  const names = labels.map((label) => label.toLowerCase());
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  // An answer has a sign before its word, and as its value its place among the answers.
  const word = (row, k) => {
    const sign = row.cells[k].querySelector("[aria-hidden]")?.textContent ?? "";
    return row.cells[k].textContent.replace(sign, "").trim();
  };
  const place = (row, k) => row.cells[k].querySelector("data")?.value ?? row.cells[k].textContent.trim();
  const { compare } = new Intl.Collator("en", { numeric: true });
  const sorted = (k, sign) => [...rows].sort((a, b) => {
    const [x, y] = [place(a, k), place(b, k)];
    return !x - !y || sign * compare(x, y);
  });

  const form = document.createElement("form");
  form.className = "filters";
  form.innerHTML = '<label>text<input type="search" name="text" autocomplete="off"></label><input type="hidden" name="sort">'
    + '<button type="reset">Show all</button><output aria-live="polite"></output>';
  for (const name of box.dataset.filter.split(",").filter((name) => names.includes(name))) {
    const k = names.indexOf(name), label = document.createElement("label"), select = document.createElement("select");
    const values = new Set(sorted(k, 1).map((row) => word(row, k)).filter(Boolean));
    select.name = name;
    select.append(new Option("all", ""), ...[...values].map((value) => new Option(value)));
    label.append(labels[k], select);
    form.querySelector("button").before(label);
  }
  const fields = [...form.elements].filter((one) => one.name), { sort } = form.elements;
  const fits = (row) => fields.every(({ name, value }) => {
    if (!value || name === "sort") return true;
    if (name !== "text") return word(row, names.indexOf(name)) === value;
    return value.toLowerCase().split(/\s+/).every((part) => texts.get(row).includes(part));
  });

  const show = () => {
    const by = names.indexOf(sort.value.replace("-", "")), down = sort.value.startsWith("-");
    heads.forEach((head, k) => {
      if (k === by) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    body.append(...(by < 0 ? rows : sorted(by, down ? -1 : 1)));
    for (const row of rows) row.hidden = !fits(row);
    if (fold && fields.some((one) => one.value)) fold.open = true;
    const shown = rows.filter((row) => !row.hidden).length;
    form.querySelector("output").textContent = shown
      ? `${shown} of ${rows.length} rows shown`
      : "No row fits all of these filters. “Show all” removes them.";
  };
  const change = () => {
    show();
    const state = String(new URLSearchParams([...new FormData(form)].filter(([, value]) => value)));
    history.replaceState(null, "", state ? `#${state}` : location.pathname + location.search);
  };
  // A link to a row that the filters hide removes them, and so does an address without any.
  const read = () => {
    const hash = location.hash.slice(1), wanted = new URLSearchParams(hash), isState = hash.includes("=");
    if (hash && !isState && !document.getElementById(hash)?.closest("tr[hidden]")) return;
    for (const one of fields) one.value = wanted.get(one.name) ?? "";
    show();
    if (isState) box.scrollIntoView();
  };

  heads.forEach((head, k) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    // Up, down, and as it was.
    button.addEventListener("click", () => {
      sort.value = { [names[k]]: `-${names[k]}`, [`-${names[k]}`]: "" }[sort.value] ?? names[k];
      change();
    });
    head.append(button);
    for (const row of rows) row.cells[k].dataset.label = labels[k];
  });
  form.addEventListener("input", change);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(change));
  box.prepend(form);
  show();
  addEventListener("hashchange", read);
  read();
})();
