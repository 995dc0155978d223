// Comfort on top of pages that work without it: theme, menu, search, tabs, keyboard reach.
// A classic script, since modules are not loaded from disk.
(() => {
  'use strict';
  const $ = (selector, within = document) => within.querySelector(selector);
  const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  // Theme: follows the system until the reader chooses; the choice is kept where storage is allowed.
  const theme = $('.theme');
  const system = matchMedia('(prefers-color-scheme: dark)');
  const isDark = () => (document.documentElement.dataset.theme || (system.matches ? 'dark' : 'light')) === 'dark';
  const nameTheme = () => { theme.textContent = isDark() ? 'Light theme' : 'Dark theme'; };
  theme.hidden = false;
  theme.addEventListener('click', () => {
    const chosen = isDark() ? 'light' : 'dark';
    document.documentElement.dataset.theme = chosen;
    try { localStorage.setItem('theme', chosen); } catch { /* private browsing: for this page only */ }
    nameTheme();
  });
  system.addEventListener('change', nameTheme);
  nameTheme();

  // Menu of narrow screens: the link to the sidebar becomes a button that opens it.
  const menu = $('.menu');
  const sidebar = $('.sidebar');
  const openMenu = open => {
    sidebar.classList.toggle('open', open);
    menu.setAttribute('aria-expanded', String(open));
  };
  menu.setAttribute('role', 'button');
  menu.setAttribute('aria-controls', 'contents');
  openMenu(false);
  const toggleMenu = event => {
    event.preventDefault();
    openMenu(!sidebar.classList.contains('open'));
  };
  menu.addEventListener('click', toggleMenu);
  menu.addEventListener('keydown', event => { if (event.key === ' ') toggleMenu(event); });
  sidebar.addEventListener('keydown', event => {
    if (event.key === 'Escape' && sidebar.classList.contains('open')) { openMenu(false); menu.focus(); }
  });
  const current = $('.sidebar [aria-current]');
  if (current && current.offsetTop > sidebar.clientHeight) sidebar.scrollTop = current.offsetTop / 2;

  // Search: the index is fetched as a script, once, when the field is first used.
  const form = $('.search');
  const query = $('#query');
  const hits = $('#hits');
  const status = $('#search-status');
  const plain = text => text.toLowerCase().normalize('NFD').replace(/[\u0300-\u036f]/g, '');
  let index = null;

  const load = () => {
    if (index) return;
    index = [];
    const script = make('script', { src: 'search-index.js' });
    script.addEventListener('load', () => {
      index = window.BOOK_INDEX.map(([url, title, chapter, text]) =>
        ({ url, title, chapter, text, plainTitle: plain(title), plainText: plain(text) }));
      search();
    });
    document.head.append(script);
  };

  const score = (entry, words) => {
    let total = 0;
    for (const word of words) {
      const inTitle = entry.plainTitle.includes(word);
      const inText = entry.plainText.split(word).length - 1;
      if (!inTitle && !inText) return 0;
      total += (inTitle ? 20 : 0) + Math.min(inText, 10);
    }
    return total;
  };

  // The text around the first hit, the words found marked. Built from nodes, so nothing is parsed.
  const excerpt = (entry, words) => {
    const at = Math.max(0, entry.plainText.indexOf(words[0]) - 40);
    const cut = (at ? '…' : '') + entry.text.slice(at, at + 130) + '…';
    const escaped = words.map(word => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    const parts = cut.split(new RegExp(`(${escaped.join('|')})`, 'gi'));
    return make('small', {}, ...parts.map((part, i) => (i % 2 ? make('mark', { textContent: part }) : part)));
  };

  const search = () => {
    const words = plain(query.value).split(/\s+/).filter(word => word.length > 1);
    const found = words.length
      ? index.map(entry => ({ entry, total: score(entry, words) }))
        .filter(hit => hit.total).sort((a, b) => b.total - a.total).slice(0, 12)
      : [];
    hits.replaceChildren(...found.map(({ entry }) =>
      make('li', {}, make('a', { href: entry.url }, entry.title, excerpt(entry, words)))));
    hits.hidden = !found.length;
    status.textContent = !words.length ? '' : found.length ? `${found.length} sections found` : 'Nothing found';
    status.classList.toggle('visually-hidden', !words.length || found.length > 0);
  };

  form.hidden = false;
  query.addEventListener('focus', load);
  query.addEventListener('input', () => { load(); search(); });
  form.addEventListener('submit', event => {
    event.preventDefault();
    const first = $('a', hits);
    if (first) location.href = first.href;
  });
  document.addEventListener('keydown', event => {
    if (event.key === '/' && !event.target.closest('input, textarea')) {
      event.preventDefault();
      openMenu(true);
      query.focus();
    }
  });

  // Tabs after the pattern of the ARIA authoring practices.
  $$('.tabset').forEach((set, s) => {
    const panels = $$(':scope > .tab', set);
    const tabs = panels.map((panel, p) => {
      const title = $('.tab-title', panel);
      const tab = make('button', { type: 'button', id: `tab-${s}-${p}`, innerHTML: title.innerHTML });
      panel.id ||= `panel-${s}-${p}`;
      tab.setAttribute('role', 'tab');
      tab.setAttribute('aria-controls', panel.id);
      panel.setAttribute('role', 'tabpanel');
      panel.setAttribute('aria-labelledby', tab.id);
      panel.tabIndex = 0;
      title.hidden = true;
      tab.addEventListener('click', () => choose(p));
      tab.addEventListener('keydown', event => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (step) { choose((p + step + panels.length) % panels.length, true); event.preventDefault(); }
      });
      return tab;
    });
    const choose = (chosen, focus) => panels.forEach((panel, p) => {
      panel.hidden = p !== chosen;
      tabs[p].setAttribute('aria-selected', String(p === chosen));
      tabs[p].tabIndex = p === chosen ? 0 : -1;
      if (focus && p === chosen) tabs[p].focus();
    });
    const list = make('div', {}, ...tabs);
    list.setAttribute('role', 'tablist');
    set.prepend(list);
    choose(0);
  });

  // A link into something folded or behind a tab opens it.
  const reveal = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let box = target; box; box = box.parentElement) {
      if (box.tagName === 'DETAILS') box.open = true;
      if (box.matches('.tab[hidden]')) document.getElementById(box.getAttribute('aria-labelledby')).click();
    }
    target.scrollIntoView();
  };
  addEventListener('hashchange', reveal);
  reveal();

  // Only what really scrolls is a stop for the Tab key.
  const reach = () => $$('.scroll').forEach(region => {
    region.tabIndex = region.scrollWidth > region.clientWidth ? 0 : -1;
    if (region.tabIndex < 0) region.removeAttribute('tabindex');
  });
  addEventListener('resize', reach);
  addEventListener('load', reach);
  document.addEventListener('toggle', reach, true);
  document.addEventListener('click', () => setTimeout(reach));
  reach();

  // "On this page" follows the reader.
  const links = new Map($$('.outline a').map(link => [decodeURIComponent(link.hash.slice(1)), link]));
  const headings = [...links.keys()].map(id => document.getElementById(id));
  const follow = () => {
    const passed = headings.filter(heading => heading.getBoundingClientRect().top < 120);
    const here = (passed.pop() || headings[0]).id;
    links.forEach((link, id) => (id === here ? link.setAttribute('aria-current', 'true') : link.removeAttribute('aria-current')));
  };
  if (headings.length) {
    addEventListener('scroll', follow, { passive: true });
    follow();
  }
})();
