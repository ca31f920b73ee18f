'use strict';
// A story and its checklist: follow a link, and light what belongs together.
(() => {
  const find = (id) => (id ? document.getElementById(id) : null);
  const each = (query, act, root = document) => root.querySelectorAll(query).forEach(act);
  const said = find('said');
  let pending = null;

  const reveal = (place) => {
    for (let at = place; at; at = at.parentElement) {
      if (at.tagName === 'DETAILS' && !at.open) at.open = true;
    }
  };

  const clear = () => each('.lit', (el) => el.classList.remove('lit'));

  // Light what belongs together: the item's card, its words wherever they stand, and their turn.
  const light = (place, item) => {
    clear();
    const marks = item ? [...document.querySelectorAll(`mark[data-item="${CSS.escape(item)}"]`)] : [];
    marks.forEach((el) => el.classList.add('lit'));
    const card = find(item);
    if (card) card.classList.add('lit');
    const fromCard = place === card && marks.length > 0;
    const home = (fromCard ? marks[0] : place).closest('.turn, .handed');
    if (home) home.classList.add('lit');
    if (card && place !== card) showInside(card);
    const where = home ? home.getAttribute('aria-label') : '';
    said.textContent = marks.length ? `${where}: the words that decided ${card ? card.getAttribute('aria-label') : 'the item'} are highlighted` : where;
  };

  // Scroll the checklist alone, not the page, to bring an item into sight.
  const showInside = (card) => {
    const box = card.closest('.checklist');
    if (box && box.scrollHeight > box.clientHeight + 4) {
      box.scrollTop += card.getBoundingClientRect().top - box.getBoundingClientRect().top - 48;
    }
  };

  const follow = (hash, item) => {
    let id = hash.slice(1);
    try { id = decodeURIComponent(id); } catch { /* keep it as it came */ }
    const place = find(id);
    if (!place) return null;
    reveal(place);
    if (place.matches('.turn, .handed, .item, mark')) {
      light(place, item || place.dataset.item || (place.classList.contains('item') ? id : null));
    }
    return place;
  };

  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link) {
      pending = link.hash;
      follow(link.hash, link.dataset.item);
      return;
    }
    // The whole card is a target for a pointer; the link in it is the one for the keyboard.
    const card = event.target.closest('.item');
    if (card && !event.target.closest('a, button, summary, pre') && !String(getSelection())) {
      const first = card.querySelector('a[data-item]');
      if (first) first.click();
    }
  });

  const arrive = () => {
    if (pending === location.hash) { pending = null; return; }
    const place = follow(location.hash);
    if (place) place.scrollIntoView({ block: place.tagName === 'MARK' ? 'center' : 'start' });
  };
  addEventListener('hashchange', arrive);
  document.addEventListener('keydown', (event) => { if (event.key === 'Escape') clear(); });

  each('.filter', (filter) => {
    filter.hidden = false;
    filter.addEventListener('click', (event) => {
      const wanted = event.target.dataset.show;
      if (!wanted) return;
      each('button', (b) => b.setAttribute('aria-pressed', String(b === event.target)), filter);
      each('.item', (card) => {
        card.hidden = wanted !== 'all' && (card.dataset.found === 'yes') !== (wanted === 'found');
      }, filter.closest('.checklist'));
    });
  });

  if (location.hash) arrive();
})();
