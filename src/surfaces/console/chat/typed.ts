/** What a person typed into the chat means, and what the tab key makes of it. The first character decides; a blank before it makes it plain text. */
import { nearest } from "../../../core/nearest.ts";
import { quoted } from "../../../core/visible.ts";

export const CHAT_COMMANDS = ["give", "take", "pause", "resume", "why", "kick", "who", "quit", "help"] as const;
export type ChatCommand = (typeof CHAT_COMMANDS)[number];

/** A null recipient is the addressee that the prompt shows. */
export type ChatLine =
  | { readonly kind: "nothing" }
  | { readonly kind: "send"; readonly to: string | null; readonly body: string; readonly interrupt: boolean }
  | { readonly kind: "ask"; readonly to: string; readonly body: string }
  | { readonly kind: "address"; readonly to: string }
  | { readonly kind: "command"; readonly command: ChatCommand; readonly words: string }
  | { readonly kind: "wrong"; readonly why: string };

const PLAIN = "A blank before it makes it plain text.";

export function typedAs(text: string): ChatLine {
  if (text.trim() === "") return { kind: "nothing" };
  if (/^ [/?@!]/.test(text)) return said(null, text.slice(1));
  if (text.startsWith("/")) return commandLine(text);
  if (text.startsWith("@")) return toOne(text.slice(1), false);
  if (text.startsWith("!")) return interrupt(text.slice(1));
  if (text.startsWith("?")) return question(text.slice(1));
  return said(null, text);
}

function said(to: string | null, body: string, isInterrupt = false): ChatLine {
  return { kind: "send", to, body, interrupt: isInterrupt };
}

function commandLine(text: string): ChatLine {
  const { name, rest } = firstWord(text.slice(1));
  const known = CHAT_COMMANDS.find((one) => one === name);
  if (known !== undefined) return { kind: "command", command: known, words: rest.trim() };
  const near = nearest(name, CHAT_COMMANDS);
  const hint = near === null ? "/help lists the commands." : `Did you mean /${near}?`;
  return { kind: "wrong", why: `There is no command ${quoted(`/${name}`)}. ${hint} ${PLAIN}` };
}

function toOne(text: string, isInterrupt: boolean): ChatLine {
  const { name, rest } = addressee(text);
  if (name === "") return { kind: "wrong", why: `@ needs a name: @codex text. ${PLAIN}` };
  if (rest.trim() !== "") return said(name, rest, isInterrupt);
  return isInterrupt
    ? { kind: "wrong", why: `Say what to interrupt with: !@${name} text` }
    : { kind: "address", to: name };
}

function interrupt(text: string): ChatLine {
  if (text.startsWith("@")) return toOne(text.slice(1), true);
  return { kind: "wrong", why: `! interrupts one agent: !@codex text. ${PLAIN}` };
}

function question(text: string): ChatLine {
  const { name, rest } = addressee(text);
  if (name === "") return { kind: "wrong", why: `? asks one agent: ?codex text. ${PLAIN}` };
  if (rest.trim() === "") return { kind: "wrong", why: `Say what to ask: ?${name} text` };
  return { kind: "ask", to: name, body: rest };
}

/** People write a comma or a colon behind a name. */
function addressee(text: string): { readonly name: string; readonly rest: string } {
  const { name, rest } = firstWord(text);
  return { name: name.replace(/[,:]+$/, ""), rest };
}

function firstWord(text: string): { readonly name: string; readonly rest: string } {
  const [, name = "", rest = ""] = /^(\S*)\s?([^]*)$/.exec(text) ?? [];
  return { name, rest };
}

/** Completes a command, or the name of an agent behind `@`, `?`, `!@`, `/give` and `/kick`. */
export function completed(text: string, names: readonly string[]): string {
  const [, command] = /^\/(\w*)$/.exec(text) ?? [];
  if (command !== undefined) return joined(text, command, CHAT_COMMANDS);
  const [, name] = /^(?:!?@|\?|\/(?:give|kick) )(\S*)$/.exec(text) ?? [];
  return name === undefined ? text : joined(text, name, names);
}

/** As far as all that begin so agree; with a blank behind the only one. */
function joined(text: string, begun: string, candidates: readonly string[]): string {
  const fitting = candidates.filter((candidate) => candidate.startsWith(begun));
  const [first, ...others] = fitting;
  if (first === undefined) return text;
  if (others.length === 0) return `${text}${first.slice(begun.length)} `;
  let length = begun.length;
  while (length < first.length && others.every((other) => other.startsWith(first.slice(0, length + 1)))) length += 1;
  return `${text}${first.slice(begun.length, length)}`;
}
