'use strict';
(() => {
  const find = (id) => (id ? document.getElementById(id) : null);
  const each = (query, act, root = document) => root.querySelectorAll(query).forEach(act);

  // One trajectory at a time, with a picker that stays in sight.
  const all = [...document.querySelectorAll('details.trajectory')];
  const picker = find('picker');
  const pick = find('pick');
  const jump = find('jump');
  const open = () => all.find((el) => el.open);
  const update = () => {
    const now = open();
    pick.value = now ? now.id : '';
    jump.hidden = !now;
    if (now) {
      find('to-turns').href = `#${now.querySelector('.turn') ? now.querySelector('.turn').id : now.id}`;
      find('to-report').href = `#${now.id}/report`;
      find('to-items').href = `#${now.id}/checklist`;
    }
  };
  const go = (details) => {
    if (!details) return;
    details.open = true;
    location.hash = details.id;
    details.scrollIntoView({ block: 'start' });
  };
  all.forEach((details) => {
    details.addEventListener('toggle', () => {
      if (details.open) all.forEach((other) => { if (other !== details) other.open = false; });
      update();
    });
    details.querySelector('summary').addEventListener('click', () => {
      // Closing a long one above would carry this one out of sight.
      if (!details.open) requestAnimationFrame(() => setTimeout(() => details.scrollIntoView({ block: 'nearest' }), 0));
    });
  });
  pick.addEventListener('change', () => go(find(pick.value)));
  const step = (by) => {
    const at = all.indexOf(open());
    go(all[at < 0 ? 0 : (at + by + all.length) % all.length]);
  };
  find('previous').addEventListener('click', () => step(-1));
  find('next').addEventListener('click', () => step(1));
  picker.hidden = all.length === 0;

  const key = (row, column) => {
    const cell = row.cells[column];
    const text = cell ? cell.dataset.sort ?? cell.textContent.trim() : '';
    const number = Number(text);
    return text !== '' && !Number.isNaN(number) ? number : text;
  };
  const compare = (a, b) => (typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b)));
  each('table[data-sortable]', (table) => {
    each('thead th', (head) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener('click', () => {
        const up = head.getAttribute('aria-sort') === (head.classList.contains('num') ? 'descending' : 'ascending');
        const order = (head.classList.contains('num') ? up : !up) ? 1 : -1;
        each('thead th', (other) => other.removeAttribute('aria-sort'), table);
        head.setAttribute('aria-sort', order === 1 ? 'ascending' : 'descending');
        const rows = [...table.tBodies[0].rows];
        rows.sort((a, b) => order * compare(key(a, head.cellIndex), key(b, head.cellIndex)));
        table.tBodies[0].append(...rows);
      });
    }, table);
  });

  update();
})();
