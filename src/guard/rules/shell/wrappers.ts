/** Programs that run another command: they do what that one does. */
import { type ShellFinding, unknown, writes } from "./finding.ts";
import { readFlags } from "./flags.ts";
import { type Around, targetsAt, within } from "./place.ts";
import { isHarmlessFor } from "./variables.ts";
import { type Argument, literal, someWord, someWords } from "./words.ts";

type Wrapper = (words: readonly Argument[], around: Around) => readonly ShellFinding[];

/** Wrappers with plain flags, and how many words stand before the command. */
const PLAIN: Readonly<Record<string, { readonly flags: string; readonly before?: number }>> = {
  builtin: { flags: "" },
  exec: { flags: "cl a:" },
  nice: { flags: "n: --adjustment:" },
  ionice: { flags: "t c: n:" },
  setsid: { flags: "cfw --fork --wait --ctty" },
  stdbuf: { flags: "i: o: e: --output: --input: --error:" },
  timeout: { flags: "v k: s: --preserve-status --foreground --kill-after: --signal: --verbose", before: 1 },
  gtimeout: { flags: "v k: s: --preserve-status --foreground --kill-after: --signal: --verbose", before: 1 },
  time: { flags: "pvlh" },
  caffeinate: { flags: "disu" },
};

const OWN: Readonly<Record<string, Wrapper>> = {
  command: (words, around) => {
    const given = readFlags(words, "pvV", true);
    if (given.unclear !== null) return unknown("command");
    if (given.flags.some(({ name }) => name !== "-p")) return [];
    return around.command(given.operands, around);
  },
  nohup: (words, around) => {
    const findings = around.command(words, around);
    // On a terminal it writes nohup.out.
    return around.isRedirected ? findings : [...findings, ...unknown("nohup")];
  },
  sudo: (words, around) => [...judgePlain("sudo", "EHnSkKb u: g:", 0, words, around), ...unknown("sudo")],
  doas: (words, around) => [...judgePlain("doas", "n u:", 0, words, around), ...unknown("doas")],
  env: judgeEnv,
  xargs: judgeXargs,
  find: judgeFind,
  gfind: judgeFind,
  fd: judgeFd,
  fdfind: judgeFd,
  npx: judgeNpx,
  pnpx: judgeNpx,
  bunx: judgeNpx,
  sh: judgeShell,
  bash: judgeShell,
  dash: judgeShell,
  zsh: judgeShell,
  ksh: judgeShell,
  trap: (words, around) => {
    const [action, ...signals] = words;
    if (action === undefined || /^(-|-[pl])$/.test(action.text) || signals.length === 0) return [];
    return action.isLiteral ? around.script(action.text, { directories: null }) : unknown("trap");
  },
  tt: judgeTt,
};

/** Null if the program wraps no command. */
export function judgeWrapper(name: string, words: readonly Argument[], around: Around): readonly ShellFinding[] | null {
  if (Object.hasOwn(OWN, name)) return OWN[name]?.(words, around) ?? null;
  const plain = Object.hasOwn(PLAIN, name) ? PLAIN[name] : undefined;
  return plain ? judgePlain(name, plain.flags, plain.before ?? 0, words, around) : null;
}

function judgePlain(
  name: string,
  flags: string,
  before: number,
  words: readonly Argument[],
  around: Around,
): readonly ShellFinding[] {
  const given = readFlags(words, flags, true);
  if (given.unclear !== null) return unknown(`${name} ${given.unclear}`);
  return around.command(given.operands.slice(before), around);
}

function judgeEnv(words: readonly Argument[], around: Around): readonly ShellFinding[] {
  const given = readFlags(words, "i0v u: C: --ignore-environment --unset: --chdir: --null", true);
  if (given.unclear !== null) return unknown(`env ${given.unclear}`);
  const count = given.operands.findIndex(({ text }) => !/^[A-Za-z_]\w*=/.test(text));
  const assignments = given.operands.slice(0, count < 0 ? undefined : count);
  const command = count < 0 ? [] : given.operands.slice(count);
  if (command.length === 0) return [];
  const directory = given.flags.findLast(({ name }) => name === "-C" || name === "--chdir")?.value;
  const place = directory ? within(around.place, directory) : around.place;
  const findings = around.command(command, { ...around, place });
  const powerful = assignments.find(({ text, isLiteral }) => {
    const [name = "", value = ""] = text.split(/=(.*)/s);
    return !isHarmlessFor(command[0]?.text ?? "", name, isLiteral ? literal(value) : null);
  });
  return powerful ? [...findings, ...unknown(powerful.text)] : findings;
}

function judgeXargs(words: readonly Argument[], around: Around): readonly ShellFinding[] {
  const given = readFlags(
    words,
    "0rtpx I: L: n: P: s: d: E: a: i? --null --no-run-if-empty --verbose --max-args: --max-procs: --replace? --delimiter: --max-lines? --arg-file:",
    true,
  );
  if (given.unclear !== null) return unknown(`xargs ${given.unclear}`);
  if (given.operands.length === 0) return [];
  const replace = given.flags.findLast(({ name }) => /^(-I|-i|--replace)$/.test(name));
  const mark = replace ? (replace.value?.text ?? "{}") : null;
  const command =
    mark === null
      ? [...given.operands, someWords("{}")]
      : given.operands.map((word) => (word.text.includes(mark) ? replaced(word, mark) : word));
  return around.command(command, around);
}

function replaced(word: Argument, mark: string): Argument {
  return word.text.startsWith(mark) || word.text.startsWith("-") ? someWords(word.text) : someWord(word.text);
}

function judgeFind(words: readonly Argument[], around: Around): readonly ShellFinding[] {
  const start = words.findIndex(({ text }) => /^[-(!]/.test(text));
  const paths = words.slice(0, start < 0 ? undefined : start);
  const findings: ShellFinding[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? literal("");
    if (word.mayBeFlags) return unknown(`find ${word.text}`);
    if (word.text === "-delete") {
      findings.push(...writes("find -delete", targetsAt(around.place, paths.length > 0 ? paths : [literal(".")])));
    } else if (/^-f(ls|print0?|printf)$/.test(word.text)) {
      const path = words[index + 1];
      findings.push(...writes(`find ${word.text}`, path ? targetsAt(around.place, [path]) : null));
    } else if (/^-(exec|ok)(dir)?$/.test(word.text)) {
      const end = words.findIndex(
        ({ text }, at) => at > index && (text === ";" || (text === "+" && words[at - 1]?.text === "{}")),
      );
      if (end < 0) return unknown(`find ${word.text}`);
      const command = words
        .slice(index + 1, end)
        .map((each) => (each.text.includes("{}") ? someWord(each.text) : each));
      const place = word.text.endsWith("dir") ? { directories: null } : around.place;
      findings.push(...around.command(command, { ...around, place }));
      index = end;
    }
  }
  return findings;
}

function judgeFd(words: readonly Argument[], around: Around): readonly ShellFinding[] {
  const index = words.findIndex(({ text }) => /^(-[a-zA-Z0-9]*[xX]|--exec(-batch)?(=.*)?)$/.test(text));
  const unclear = words.find(({ mayBeFlags }) => mayBeFlags);
  if (unclear) return unknown(`fd ${unclear.text}`);
  if (index < 0) return [];
  if (!/^(-[xX]|--exec|--exec-batch)$/.test(words[index]?.text ?? "")) return unknown("fd -x");
  return around.command([...words.slice(index + 1), someWord("{}")], around);
}

/** It may fetch a program first. Only what plainly writes is told. */
function judgeNpx(words: readonly Argument[], around: Around): readonly ShellFinding[] {
  const given = readFlags(words, "yq p: --yes --no-install --package: --quiet", true);
  if (given.unclear !== null) return unknown("npx");
  const findings = around.command(given.operands, around);
  return [...findings.filter(({ effect }) => effect === "writes"), ...unknown("npx")];
}

function judgeShell(words: readonly Argument[], around: Around): readonly ShellFinding[] {
  const [first, ...rest] = words;
  if (!first?.isLiteral) return unknown("shell");
  // Such as `bash -l -c`, `sh -ec` or `bash -o pipefail -c`.
  if (/^-[leux]+$/.test(first.text)) return judgeShell(rest, around);
  if (first.text === "-o" || first.text === "-eo" || first.text === "-euo") {
    return rest[0]?.text === "pipefail" ? judgeShell(rest.slice(1), around) : unknown("shell");
  }
  if (!/^-[leux]*c[leux]*$/.test(first.text)) return unknown("shell");
  const [script] = rest;
  if (!script?.isLiteral) return unknown("shell -c");
  return around.script(script.text, around.place);
}

/** Our own program reads, but for the commands that run another one. */
function judgeTt(words: readonly Argument[], around: Around): readonly ShellFinding[] {
  const given = readFlags(words, "hvV --json --text --debug --help --version --agent: --path: --room:", true);
  const [command, ...rest] = given.operands;
  const unclear = words.find((word) => word.mayBeFlags);
  if (command === undefined) return unclear ? unknown("tt") : [];
  if (!command.isLiteral || given.unclear !== null) return unknown("tt");
  if (command.text === "start")
    return around.command(
      rest.filter(({ text }) => text !== "--"),
      around,
    );
  if (command.text !== "check") return [];
  const end = rest.findIndex(({ text }) => text === "--");
  return end < 0 ? unknown("tt check") : around.command(rest.slice(end + 1), around);
}
