/** Pages before and after an edit, the element a note was on, and where it must be then. */
export interface Case {
  name: string;
  before: string;
  target: string;
  after: string;
  /** Null: lost. */
  expected: string | null;
  sure: boolean;
  /** Being lost is right too. */
  mayBeLost: boolean;
}

const rows = (a: readonly (readonly (string | number)[])[]): string =>
  `<h1>Alerts</h1><table><thead><tr><th>Name</th><th>Value</th><th></th></tr></thead><tbody>${a.map((r) => `<tr><td>${r[0]}</td><td>${r[1]}</td><td><button>Mute</button><button>Edit</button></td></tr>`).join("")}</tbody></table>`;
const A = [
  ["Latency", "120 ms"],
  ["Queue", "8"],
  ["Error rate", "4 %"],
  ["Disk", "71 %"],
  ["Logins", "12"],
] as const;
const cards = (a: readonly (readonly string[])[]): string =>
  `<main>${a.map(([t, v, s]) => `<div class="card"><div>${t}</div><div>${v}</div><p>${s}</p><p>In stock</p><button>Buy</button></div>`).join("")}</main>`;
const C = [
  ["Lamp", "12 €", "bright"],
  ["Desk", "90 €", "oak"],
  ["Chair", "45 €", "soft"],
  ["Shelf", "45 €", "wide"],
  ["Rug", "30 €", "red"],
] as const;
const li = (a: string[]): string =>
  `<ul>${a.map((t) => `<li>${t} <button>Delete</button></li>`).join("")}</ul>`;
const L = ["Buy milk", "Call Ann", "Pay rent", "Fix bike"];
const doc = (h: string, ps: string[]): string =>
  `<main><h1>${h}</h1>${ps.map((p) => `<p>${p}</p>`).join("")}</main>`;
const P = ["First one here.", "Second one here.", "Third one here.", "Fourth one here."];
const S: readonly (readonly [string, string, string, string, string | null, boolean?])[] = [
  ["reload same", rows(A), "tbody tr:nth-child(3) button", rows(A), "tbody tr:nth-child(3) button", true],
  [
    "row inserted above",
    rows(A),
    "tbody tr:nth-child(3) button",
    rows([["New", "1"], ...A]),
    "tbody tr:nth-child(4) button",
    true,
  ],
  ["row deleted", rows(A), "tbody tr:nth-child(3) button", rows(A.filter((_, i) => i !== 2)), null],
  [
    "row deleted, one appended",
    rows(A),
    "tbody tr:nth-child(3) button",
    rows([...A.filter((_, i) => i !== 2), ["Zed", "9"]]),
    null,
  ],
  [
    "row deleted, one inserted at its place",
    rows(A),
    "tbody tr:nth-child(3) button",
    rows([A[0], A[1], ["Zed", "9"], A[3], A[4]]),
    "tbody tr:nth-child(3) button",
    false,
  ],
  [
    "two rows deleted, two appended",
    rows(A),
    "tbody tr:nth-child(3) button",
    rows([A[0], A[1], A[4], ["Y", "1"], ["Z", "2"]]),
    null,
  ],
  [
    "identical rows, one deleted",
    rows([A[0], A[2], A[2], A[3]]),
    "tbody tr:nth-child(3) button",
    rows([A[0], A[2], A[3]]),
    null,
  ],
  [
    "identical rows, unchanged",
    rows([A[0], A[2], A[2], A[3]]),
    "tbody tr:nth-child(3) button",
    rows([A[0], A[2], A[2], A[3]]),
    "tbody tr:nth-child(3) button",
    true,
  ],
  [
    "value changes",
    rows(A),
    "tbody tr:nth-child(3) button",
    rows([A[0], A[1], ["Error rate", "7 %"], A[3], A[4]]),
    "tbody tr:nth-child(3) button",
    false,
  ],
  [
    "value changes and inserted above",
    rows(A),
    "tbody tr:nth-child(3) button",
    rows([["N", "1"], A[0], A[1], ["Error rate", "7 %"], A[3], A[4]]),
    "tbody tr:nth-child(4) button",
    false,
  ],
  [
    "value cell edited",
    rows(A),
    "tbody tr:nth-child(3) td:nth-child(2)",
    rows([A[0], A[1], ["Error rate", "7 %"], A[3], A[4]]),
    "tbody tr:nth-child(3) td:nth-child(2)",
    false,
  ],
  [
    "row deleted, neighbour takes its value",
    rows(A),
    "tbody tr:nth-child(3) td:nth-child(2)",
    rows([A[0], ["Queue", "4 %"], A[3], A[4]]),
    null,
  ],
  [
    "column inserted",
    rows(A),
    "tbody tr:nth-child(3) td:nth-child(2)",
    rows(A).replaceAll(/<tr><td>(\w)/g, "<tr><td>#</td><td>$1"),
    "tbody tr:nth-child(3) td:nth-child(3)",
    true,
  ],
  [
    "sorted",
    rows(A),
    "tbody tr:nth-child(3) button",
    rows([...A].reverse()),
    "tbody tr:nth-child(3) button",
    true,
  ],
  [
    "button renamed",
    rows(A),
    "tbody tr:nth-child(3) button",
    rows(A).replaceAll("Mute", "Silence"),
    "tbody tr:nth-child(3) button",
    false,
  ],
  [
    "button removed from rows",
    rows(A),
    "tbody tr:nth-child(3) button",
    rows(A).replaceAll("<button>Mute</button>", ""),
    null,
  ],
  [
    "numbered rows, insert above",
    rows(A.map((r, i) => [i + 1, r[0]])),
    "tbody tr:nth-child(3) button",
    rows([["N", "1"], ...A].map((r, i) => [i + 1, r[0]])),
    "tbody tr:nth-child(4) button",
    false,
  ],
  [
    "Step n heads, insert above",
    rows(A.map((r, i) => ["Step " + (i + 1), r[0]])),
    "tbody tr:nth-child(3) button",
    rows([["New", "1"], ...A].map((r, i) => ["Step " + (i + 1), r[0]])),
    "null-or-right:tbody tr:nth-child(4) button",
    false,
  ],
  [
    "index ids, insert above",
    rows(A).replace(/<tr><td>(L|Q|E|D)/g, (_, a) => `<tr id="row-${"LQED".indexOf(a)}"><td>${a}`),
    "tbody tr:nth-child(3) button",
    rows([["N", "1"], ...A]).replace(
      /<tr><td>(N|L|Q|E|D)/g,
      (_, a) => `<tr id="row-${"NLQED".indexOf(a)}"><td>${a}`,
    ),
    "tbody tr:nth-child(4) button",
    true,
  ],
  [
    "index ids, row deleted",
    rows(A).replace(/<tr><td>(L|Q|E|D)/g, (_, a) => `<tr id="row-${"LQED".indexOf(a)}"><td>${a}`),
    "tbody tr:nth-child(3) button",
    rows(A.filter((_, i) => i !== 2)).replace(
      /<tr><td>(L|Q|D)/g,
      (_, a) => `<tr id="row-${"LQD".indexOf(a)}"><td>${a}`,
    ),
    null,
  ],
  [
    "word id, all text edited",
    rows(A).replace("<tr><td>Error", "<tr id=errors><td>Error"),
    "tbody tr:nth-child(3) button",
    rows([["N", "1"], A[0], A[1], ["Failures", "none"], A[3], A[4]]).replace(
      "<tr><td>Fail",
      "<tr id=errors><td>Fail",
    ),
    "tbody tr:nth-child(4) button",
    false,
  ],
  ["list: insert", li(L), "li:nth-child(3) button", li(["x", ...L]), "li:nth-child(4) button", true],
  [
    "list: edited",
    li(L),
    "li:nth-child(3) button",
    li(["Buy milk", "Call Ann", "Pay the rent", "Fix bike"]),
    "li:nth-child(3) button",
    false,
  ],
  [
    "list: two adjacent edited",
    li(L),
    "li:nth-child(2) button",
    li(["Buy milk", "Call Anna", "Pay the rent", "Fix bike"]),
    "li:nth-child(2) button",
    false,
  ],
  [
    "list: deleted, neighbour same text",
    li(L),
    "li:nth-child(3) button",
    li(["Buy milk", "Call Ann", "Fix bike"]),
    null,
  ],
  ["list: all rewritten", li(L), "li:nth-child(3) button", li(["a", "b", "c", "d"]), null],
  [
    "list: last edited and one appended",
    li(L),
    "li:nth-child(4) button",
    li(["Buy milk", "Call Ann", "Pay rent", "Fix the bike", "new"]),
    null,
  ],
  [
    "cards reordered: In stock",
    cards(C),
    ".card:nth-child(3) p:nth-of-type(2)",
    cards([C[4], C[2], C[0], C[1], C[3]]),
    ".card:nth-child(2) p:nth-of-type(2)",
    true,
  ],
  [
    "cards reordered: Buy",
    cards(C),
    ".card:nth-child(3) button",
    cards([C[4], C[2], C[0], C[1], C[3]]),
    ".card:nth-child(2) button",
    true,
  ],
  [
    "cards: price 45 twice, reordered",
    cards(C),
    ".card:nth-child(4) div:nth-child(2)",
    cards([C[3], C[2], C[0], C[1], C[4]]),
    ".card:nth-child(1) div:nth-child(2)",
    true,
  ],
  [
    "cards: price edited in place",
    cards(C),
    ".card:nth-child(4) div:nth-child(2)",
    cards(C.map((c, i) => (i === 3 ? ["Shelf", "49 €", "wide"] : c))),
    ".card:nth-child(4) div:nth-child(2)",
    false,
  ],
  [
    "cards: price edited and reordered",
    cards(C),
    ".card:nth-child(4) div:nth-child(2)",
    cards([["Shelf", "49 €", "wide"], C[4], C[2], C[0], C[1]]),
    "null-or-right:.card:nth-child(1) div:nth-child(2)",
    false,
  ],
  [
    "cards: deleted",
    cards(C),
    ".card:nth-child(4) div:nth-child(2)",
    cards(C.filter((_, i) => i !== 3)),
    null,
  ],
  [
    "cards: class added to one",
    cards(C),
    ".card:nth-child(3) button",
    cards(C).replace('<div class="card"><div>Chair', '<div class="card featured"><div>Chair'),
    ".card:nth-child(3) button",
    true,
  ],
  [
    "h1 edited, p inserted after",
    doc("Overview", P),
    "h1",
    doc("Alerts overview", ["New", ...P]),
    "h1",
    false,
  ],
  [
    "p edited",
    doc("Overview", P),
    "p:nth-of-type(2)",
    doc("Overview", ["First one here.", "Changed.", "Third one here.", "Fourth one here."]),
    "p:nth-of-type(2)",
    false,
  ],
  [
    "three p edited",
    doc("Overview", P),
    "p:nth-of-type(2)",
    doc("Overview", ["A", "B", "C", "Fourth one here."]),
    "p:nth-of-type(2)",
    false,
  ],
  [
    "p inserted",
    doc("Overview", P),
    "p:nth-of-type(2)",
    doc("Overview", ["Z", ...P]),
    "p:nth-of-type(3)",
    true,
  ],
  [
    "p wrapped in section",
    doc("Overview", P),
    "p:nth-of-type(2)",
    `<main><h1>Overview</h1><section>${P.map((p) => `<p>${p}</p>`).join("")}</section></main>`,
    "p:nth-of-type(2)",
    true,
  ],
  [
    "p deleted",
    doc("Overview", P),
    "p:nth-of-type(2)",
    doc(
      "Overview",
      P.filter((_, i) => i !== 1),
    ),
    null,
  ],
  [
    "unique button restyled",
    `<main><h1>x</h1><button id="save">Save</button></main>`,
    "button",
    `<main><h1>x</h1><div><button id="save" class="big">Save all</button></div></main>`,
    "button",
    false,
  ],
  [
    "twins in two tables, other table gone",
    rows(A) + `<h2>Old</h2>` + rows(A),
    "table:nth-of-type(1) tbody tr:nth-child(3) button",
    rows(A),
    "null-or-right:table tbody tr:nth-child(3) button",
  ],
  [
    "twins in two tables, own table gone",
    rows(A) + `<h2>Old</h2>` + rows(A),
    "table:nth-of-type(1) tbody tr:nth-child(3) button",
    `<h2>Old</h2>` + rows(A),
    null,
  ],
  [
    "icon buttons in identical items, one added",
    `<ul>${"<li><button aria-label=Del></button></li>".repeat(5)}</ul>`,
    "li:nth-child(3) button",
    `<ul>${"<li><button aria-label=Del></button></li>".repeat(6)}</ul>`,
    null,
  ],
  [
    "icon buttons identical, unchanged",
    `<ul>${"<li><button aria-label=Del></button></li>".repeat(5)}</ul>`,
    "li:nth-child(3) button",
    `<ul>${"<li><button aria-label=Del></button></li>".repeat(5)}</ul>`,
    "li:nth-child(3) button",
    true,
  ],
  [
    "duplicate inserted",
    rows(A),
    "tbody tr:nth-child(3) button",
    rows([A[0], A[2], A[1], A[2], A[3], A[4]]),
    null,
  ],
];

const OR_LOST = "null-or-right:";

export const CASES: Case[] = S.map(([name, before, target, after, expected, sure = false]) => ({
  name,
  before,
  target,
  after,
  expected: expected?.replace(OR_LOST, "") ?? null,
  sure,
  mayBeLost: expected?.startsWith(OR_LOST) === true,
}));
