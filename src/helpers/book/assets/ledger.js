// Makes the ledger's tables sortable, and lets the reader choose lines by study, subject, decision,
// direction and words. Without it every line is there. It runs on pages of either engine: all it
// knows of them is `div.ledger[data-study][data-decision]` around a table, with the heading somewhere
// above; `data-direction` is the column of the direction, where there is one.
(() => {
  'use strict';
  const tables = [...document.querySelectorAll('.ledger')].flatMap(part => {
    const table = part.querySelector('table');
    const { study, decision, direction } = part.dataset;
    return table ? [{ part, table, study, decision: decision - 1, direction: direction - 1 }] : [];
  });
  if (!tables.length) return;
  const make = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const order = new Intl.Collator('en', { numeric: true });
  const text = cell => cell.textContent.trim();

  const lines = tables.flatMap(({ table, study, decision, direction }) =>
    [...table.tBodies[0].rows].map(row => ({
      row,
      table,
      study,
      subject: row.cells[0].querySelector('strong')?.textContent ?? '',
      decision: text(row.cells[decision]),
      direction: row.cells[direction] ? text(row.cells[direction]) : '',
      words: row.textContent.toLowerCase(),
    })));

  // Choosing
  const choice = (name, key) => {
    const values = [...new Set(lines.map(line => line[key]))].filter(Boolean).sort(order.compare);
    const all = make('option', { value: '', textContent: 'all' });
    const select = make('select', {}, all, ...values.map(value => make('option', { value, textContent: value })));
    select.addEventListener('change', apply);
    return { key, select, label: make('label', {}, name, select) };
  };
  const choices = [choice('Study', 'study'), choice('Hypothesis or topic', 'subject'), choice('Decision', 'decision'),
    choice('Direction', 'direction')].filter(({ select }) => select.options.length > 1);
  const words = make('input', { type: 'text', autocomplete: 'off' });
  const reset = make('button', { type: 'button', textContent: 'Show all' });
  const status = make('p', {});
  status.setAttribute('role', 'status');

  function apply() {
    const wanted = words.value.trim().toLowerCase();
    for (const line of lines) {
      const chosen = choices.every(({ key, select }) => !select.value || line[key] === select.value);
      line.row.hidden = !(chosen && line.words.includes(wanted));
    }
    for (const { part, table } of tables) {
      const empty = lines.every(line => line.table !== table || line.row.hidden);
      for (let element = part; element && element !== tools; element = element.previousElementSibling) {
        element.hidden = empty;
        if (/^H\d$/.test(element.tagName)) break;
      }
    }
    const shown = lines.filter(line => !line.row.hidden).length;
    status.textContent = shown === lines.length ? `${shown} lines` : `${shown} of ${lines.length} lines`;
    dispatchEvent(new Event('resize')); // what scrolls may have changed
  }

  words.addEventListener('input', apply);
  reset.addEventListener('click', () => {
    for (const { select } of choices) select.value = '';
    words.value = '';
    apply();
  });
  const tools = make('div', { className: 'ledger-tools' },
    ...choices.map(({ label }) => label), make('label', {}, 'Words', words), reset, status);
  tools.setAttribute('role', 'group');
  tools.setAttribute('aria-label', 'Choose lines of the ledger');

  document.querySelector('.ledger-files').after(tools);

  // Sorting: by the number that a cell begins with ("< .001" is less than any), else by its words.
  const number = words => {
    const found = words.replace('\u2212', '-').match(/^(<?)\s*(-?[\d,]*\.?\d+)/);
    return found ? Number(found[2].replaceAll(',', '')) - (found[1] ? 1e-9 : 0) : NaN;
  };
  const compare = (a, b) => {
    const difference = number(a) - number(b);
    return Number.isNaN(difference) ? order.compare(a, b) : difference;
  };
  const sorted = (table, column, down) => {
    const body = table.tBodies[0];
    const rows = [...body.rows].sort((a, b) => compare(text(a.cells[column]), text(b.cells[column])));
    body.append(...(down ? rows.reverse() : rows));
    [...table.tHead.rows[0].cells].forEach((head, i) => {
      if (i === column) head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      else head.removeAttribute('aria-sort');
    });
  };
  for (const { table } of tables) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = make('button', { type: 'button' }, ...head.childNodes);
      button.addEventListener('click', () => sorted(table, column, head.getAttribute('aria-sort') === 'ascending'));
      head.append(button);
    });
  }
  apply();
})();
