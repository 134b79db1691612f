// Draws docs/images/chat.svg and docs/images/watch.svg: runs a small story with the built tt in a tmux of its own, and
// turns what the terminal shows into pictures. Times and ages are made the same in every run. Needs tmux.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { images, program, ThrowawayRoom } from "./throwaway-room.mjs";

const [columns, rows] = [100, 22];
const room = new ThrowawayRoom("images");
const { env, tree } = room;

function tmux(...words) {
  return execFileSync("tmux", ["-S", join(room.place, "tmux"), "-f", "/dev/null", ...words], { env, encoding: "utf8" });
}

function openPane(name, words) {
  const line = `exec '${process.execPath}' '${program}' ${words}`;
  tmux(
    "start-server",
    ";",
    "set-option",
    "-g",
    "remain-on-exit",
    "on",
    ";",
    "new-session",
    "-d",
    "-s",
    name,
    "-x",
    String(columns),
    "-y",
    String(rows),
    "-c",
    tree,
    line,
  );
}

function type(name, text) {
  tmux("send-keys", "-t", name, "-l", text);
}

/** The screen with its colours, once it shows that. */
async function screenOf(name, shows) {
  for (let tries = 0; tries < 600; tries += 1) {
    if (shows.test(tmux("capture-pane", "-p", "-t", name))) return tmux("capture-pane", "-e", "-p", "-t", name);
    await sleep(50);
  }
  throw new Error(`${name} never showed ${shows}:\n${tmux("capture-pane", "-p", "-t", name)}`);
}

const CODES = {
  1: { bold: true },
  2: { dim: true },
  7: { inverse: true },
  22: { bold: false, dim: false },
  27: { inverse: false },
  31: { colour: "#ff7b72" },
  32: { colour: "#7ee787" },
  33: { colour: "#f2cc60" },
  36: { colour: "#79c0ff" },
  39: { colour: null },
};
const ESCAPE = "\u001b";
/** A change of style, or a text. */
const COLOURED = new RegExp(`${ESCAPE}\\[([0-9;]*)m|([^${ESCAPE}]+)`, "g");
const PLAIN = { bold: false, dim: false, inverse: false, colour: null };
const [CELL, LINE, MARGIN] = [8.4, 19, 14];

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** One row of the terminal as texts at their columns. A style lasts until it changes, also over the end of a row. */
function rowOf(line, y, begun) {
  let style = begun;
  let column = 0;
  const parts = [];
  for (const [, codes, text] of line.matchAll(COLOURED)) {
    if (text === undefined) {
      for (const code of (codes || "0").split(";")) style = Number(code) === 0 ? PLAIN : { ...style, ...CODES[code] };
      continue;
    }
    const width = [...text].length;
    const [x, fill] = [MARGIN + column * CELL, style.inverse ? "#0d1117" : (style.colour ?? "#e6edf3")];
    if (style.inverse)
      parts.push(`<rect x="${x.toFixed(1)}" y="${y - 14}" width="${width * CELL}" height="18" fill="#e6edf3"/>`);
    const weight = style.bold ? ' font-weight="bold"' : "";
    const opacity = style.dim ? ' opacity="0.6"' : "";
    const length = `textLength="${(width * CELL).toFixed(1)}" lengthAdjust="spacingAndGlyphs"`;
    if (text.trim() !== "")
      parts.push(
        `<text x="${x.toFixed(1)}" y="${y}" fill="${fill}"${weight}${opacity} ${length}>${escaped(text)}</text>`,
      );
    column += width;
  }
  return { text: parts.join(""), style };
}

function rowsOf(lines) {
  let style = PLAIN;
  return lines.map((line, index) => {
    const row = rowOf(line, MARGIN + 14 + index * LINE, style);
    style = row.style;
    return row.text;
  });
}

function svgOf(screen, title) {
  const lines = screen.trimEnd().split("\n");
  const [width, height] = [columns * CELL + 2 * MARGIN, lines.length * LINE + 2 * MARGIN];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.round(width)}" height="${Math.round(height)}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="100%" height="100%" rx="8" fill="#0d1117"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" xml:space="preserve">`,
    ...rowsOf(lines),
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

/** Clock times count up from the same moment, and ages are those of the first minute. */
function steadied(screen) {
  let second = 0;
  return screen
    .replaceAll(/(?<!\d)\d\d:\d\d:\d\d(?!\d)/g, () => {
      second += 5;
      return `14:02:${String(second).padStart(2, "0")}`;
    })
    .replaceAll(/\d{4}-\d\d-\d\d/g, "2026-01-15")
    .replaceAll(/\b(taken|seen) (?:just now|\d+s ago)/g, "$1 just now")
    .replaceAll(/ends in \d+m/g, "ends in 44m");
}

async function story() {
  for (const agent of ["claude:1", "codex:1", "gemini:1"]) room.as(agent, "join");
  room.as("claude:1", "try");
  room.as("claude:1", "card", "rewrites the parser without the old tokenizer");
  openPane("chat", "chat");
  await screenOf("chat", /you joined/);
  room.start("codex:1", "wait");
  type("chat", "@codex please review the tests once claude is done\r");
  await screenOf("chat", /you → codex/);
  room.as("codex:1", "msg", "recv");
  room.as("codex:1", "msg", "send", "human", "I wait for the stick and take the tests then.");
  await screenOf("chat", /codex → you/);
  room.start("claude:1", "ask", "human", "May I delete src/tokenizer.ts? Nothing imports it any more.");
  await screenOf("chat", /claude asks you\. Answer: @claude/);
  type("chat", "@claude yes, delete it");
  const chat = await screenOf("chat", /asks and waits\) {2}✓[^]*yes, delete it/);
  openPane("watch", "watch");
  const watch = await screenOf("watch", /■ claude[^]*q quit/);
  return { chat, watch };
}

try {
  const { chat, watch } = await story();
  writeFileSync(join(images, "chat.svg"), svgOf(steadied(chat), "tt chat: a person talks with three agents"));
  writeFileSync(join(images, "watch.svg"), svgOf(steadied(watch), "tt watch: the board of a room"));
} finally {
  tmux("kill-server");
  room.end();
}
