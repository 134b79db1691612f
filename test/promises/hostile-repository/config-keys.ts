/** Every key of git's configuration, with a value that makes git run a canary where the key can name a program. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Canaries } from "./canary.ts";

export interface HostileKey {
  /** As it is listed, with its placeholders filled in. */
  readonly name: string;
  /** What stands in a configuration. */
  readonly text: string;
  /** Whether it names a program, a place of programs, or a configuration that does. */
  readonly namesProgram: boolean;
}

/** What can stand in a configuration: git lists one key with an underscore, which it would refuse there. */
const NAME = /^[A-Za-z0-9]+\.(?:\S+\.)?(?:[A-Za-z][A-Za-z0-9-]*|\*|<[a-z-]+>)$/;

/** Known to git, but not on its list, or not on that of older versions. */
const NOT_LISTED = [
  "filter.<driver>.process",
  "filter.<driver>.required",
  "hook.<name>.command",
  "hook.<name>.event",
  "extensions.partialClone",
  "extensions.refStorage",
  "remote.<name>.promisor",
  "trailer.<token>.command",
  "trailer.<token>.cmd",
  "tar.<format>.command",
  "uploadpack.packObjectsHook",
  "sendemail.headerCmd",
  "credential.<url>.helper",
];

/** Keys that are tried in every place, and not at the top level alone. */
const PROGRAM =
  /command|cmd|program|hook|helper|editor|pager|askpass|proxy|fsmonitor|alias|\.(?:clean|smudge|process|textconv|driver|update|vcs|path|tool|external|insteadof|pushinsteadof|uploadpack|receivepack|browser|viewer|difffilter|tunnel|url|attributesfile|event|promisor)$/i;

const FILLED: Readonly<Record<string, string>> = {
  "<driver>": "canary",
  "<name>": "origin",
  "<tool>": "canary",
  "<format>": "ssh",
  "<url>": "https://example.org",
  "<condition>": "gitdir:/",
  "<cmd>": "status",
  "<command>": "amend",
};

/** With which attributes in the tree the drivers are used. */
export const ATTRIBUTES = "* filter=canary diff=canary merge=canary\n";

export function hostileKeys(root: string, canaries: Canaries): readonly HostileKey[] {
  const listed = execFileSync("git", ["help", "--config"], { encoding: "utf8" }).split("\n");
  const names = new Set([...listed.filter((line) => NAME.test(line)), ...NOT_LISTED]);
  const included = join(root, "included.config");
  const values = new Values(root, canaries, included);
  const keys = [...names].map((name) => keyOf(name, values));
  const programs = keys.filter(({ name }) =>
    /^(?:core\.fsmonitor|filter\..*\.(?:clean|smudge)|diff\.(?:external|canary\.(?:command|textconv)))$/.test(name),
  );
  writeFileSync(included, programs.map(({ text }) => text).join(""));
  return keys;
}

function keyOf(listed: string, values: Values): HostileKey {
  const canary = values.canaries.program(listed);
  const base = listed.startsWith("url.") ? `ext::${canary}` : "origin";
  const name = listed
    .replace("<base>", base)
    .replace(/\.\*$/, ".status")
    .replace(/<[a-z-]+>/g, (place) => FILLED[place] ?? "canary");
  const [section = ""] = name.split(".", 1);
  const key = name.slice(name.lastIndexOf(".") + 1);
  const subsection = name.slice(section.length + 1, -key.length - 1);
  const header = subsection === "" ? `[${section}]` : `[${section} "${subsection}"]`;
  const lines = [`${key} = ${JSON.stringify(values.of(name, canary))}`, ...companions(name)];
  return { name, text: [header, ...lines.map((line) => `\t${line}`), ""].join("\n"), namesProgram: PROGRAM.test(name) };
}

/** Without which the key has no effect. */
function companions(name: string): readonly string[] {
  return /^hook\..*\.command$/i.test(name) ? ["event = post-index-change", "event = reference-transaction"] : [];
}

class Values {
  readonly canaries: Canaries;
  readonly #root: string;
  readonly #included: string;

  constructor(root: string, canaries: Canaries, included: string) {
    this.#root = root;
    this.canaries = canaries;
    this.#included = included;
  }

  of(name: string, canary: string): string {
    if (/^core\.hookspath$/i.test(name)) return this.canaries.hooks(join(this.#root, "hooks"), name);
    if (/^include(if)?\./i.test(name)) return this.#included;
    if (/^core\.attributesfile$/i.test(name)) return this.#attributes();
    if (/^alias\.|^submodule\..*\.update$|^credential\..*helper$/i.test(name)) return `!${canary}`;
    if (/^remote\..*\.(push)?url$|^submodule\..*\.url$/i.test(name)) return `ext::${canary}`;
    if (/insteadof$/i.test(name)) return "https://example.org";
    if (/^hook\..*\.event$/i.test(name)) return "post-index-change";
    if (/^extensions\.partialclone$/i.test(name)) return "origin";
    if (/promisor$|required$/i.test(name)) return "true";
    return canary;
  }

  #attributes(): string {
    const path = join(this.#root, "attributes");
    writeFileSync(path, ATTRIBUTES);
    return path;
  }
}
