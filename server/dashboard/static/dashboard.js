// Tables that sort by a click on their heads, the state said by aria-sort; buttons that copy a text.
"use strict";
(() => {
  const value = (row, column) => {
    const cell = row.cells[column];
    const said = cell?.dataset.value ?? cell?.textContent.trim() ?? "";
    return said === "" || said === "–" ? null : isNaN(said) ? said.toLowerCase() : Number(said);
  };
  const sort = (button) => {
    const head = button.closest("th"), table = head.closest("table");
    const down = head.getAttribute("aria-sort") !== "descending";
    const column = head.cellIndex, factor = down ? -1 : 1;
    for (const body of table.tBodies) {
      const rows = [...body.rows];
      rows.sort((a, b) => {
        const x = value(a, column), y = value(b, column);
        if (x === null || y === null) return (x === null) - (y === null); // unknown stands last
        return x < y ? -factor : x > y ? factor : 0;
      });
      body.append(...rows);
    }
    table.querySelectorAll("th[aria-sort]").forEach((th) => th.setAttribute("aria-sort", "none"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("table.sortable thead button");
    if (button) sort(button);
    const copier = event.target.closest("button[data-copy]");
    if (copier) copy(copier);
  });
  const copy = async (button) => {
    const place = document.getElementById(button.dataset.copy);
    getSelection().selectAllChildren(place);
    let done = false;
    try {
      // Only a page over HTTPS, or of this machine, has a clipboard of the first kind.
      if (navigator.clipboard) { await navigator.clipboard.writeText(place.textContent); done = true; }
      else done = document.execCommand("copy");
    } catch { /* it stays selected, for the keyboard */ }
    const said = button.dataset.said ??= button.innerHTML;
    button.setAttribute("aria-live", "polite");
    button.textContent = done ? "Copied" : "Selected: press Ctrl+C";
    clearTimeout(button.timer);
    button.timer = setTimeout(() => { button.innerHTML = said; }, 2500);
  };
  for (const button of document.querySelectorAll("button[data-copy]")) button.hidden = false;
})();
