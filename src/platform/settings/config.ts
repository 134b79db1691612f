/**
 * What the user has set: a small JSON file, and environment variables that override it. The file is found from HOME
 * alone, because some harnesses strip the environment of what they start. A wrong setting is an error that names it,
 * and is never skipped: two processes that read it differently would open different stores.
 */
import { statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { toSnakeCase } from "../../core/letter-case.ts";
import {
  DEFAULT_POLICY,
  POLICY_KEYS,
  type Policy,
  type PolicyKey,
  type PolicyValue,
  policyValueAdvice,
  policyValueOf,
  policyValueProblem,
} from "../../core/policy.ts";
import { hasPassword } from "../../core/postgres-address.ts";
import { isRefusal, type Refusal, refuse } from "../../core/refusal.ts";
import { WAKE_MODES, type WakeMode } from "../../mail/rules/wake-status.ts";
import { readRegularFile } from "../files/bounded-read.ts";
import { homeDirectory } from "../files/home-directory.ts";
import { isMissing } from "../files/system-error.ts";
import type { Environment } from "./environment.ts";
import { parseStoreChoice, problemWithVariables, type StoreChoice } from "./store-choice.ts";

export interface Config {
  /** The value in the file. resolveDataDirectory also considers the environment. */
  readonly dataDir: string | null;
  readonly store: StoreChoice;
  readonly policy: Policy;
  /** By which ways other sessions may be woken. */
  readonly wake: WakeMode;
  readonly notify: NotifyChoice;
}

/** How to notify the person. The first word of a command is an absolute path. */
export type NotifyChoice =
  | { readonly kind: "off" | "desktop" }
  | { readonly kind: "command"; readonly words: readonly string[] };

type Settings = Readonly<Record<string, unknown>>;
type Found = { readonly settings: Settings; readonly openToOthers?: boolean } | { readonly refusal: Refusal };

const MAX_BYTES = 65_536;
const OTHERS_MAY_READ = 0o044;
const SHOWN_CHARACTERS = 100;
const NOT_ABSOLUTE = ["is not an absolute path", "Write the whole path, from the root."] as const;

export function readConfig(env: Environment): Config | Refusal {
  const file = env["TT_CONFIG"] || defaultFile(env);
  const found = file === null ? { settings: {} } : readSettings(file, Boolean(env["TT_CONFIG"]));
  if ("refusal" in found) return found.refusal;
  const { settings } = found;
  const source = file ?? "";
  const unknown = Object.keys(settings).find((key) => !KNOWN_KEYS.has(key));
  if (unknown !== undefined) {
    const next = `Remove it; the settings are ${[...KNOWN_KEYS].join(", ")}.`;
    return wrong(source, unknown.slice(0, SHOWN_CHARACTERS), "is not a setting", next);
  }
  const named = env["TT_DATA_DIR"];
  // A relative path would mean another store in another directory.
  if (named && !isAbsolute(named)) return wrong(null, "TT_DATA_DIR", ...NOT_ABSOLUTE);
  const dataDir = readDataDir(source, settings["data_dir"]);
  if (isRefusal(dataDir)) return dataDir;
  const chosen = readStore(source, settings["store"], env);
  if (isRefusal(chosen)) return chosen;
  const store = !env["TT_STORE"] && found.openToOthers ? exposed(chosen, source) : chosen;
  const wake = readWake(source, settings["wake"], env["TT_WAKE"]);
  if (isRefusal(wake)) return wake;
  const notify = readNotify(source, settings["notify"], Boolean(env["TT_CONFIG"]));
  if (isRefusal(notify)) return notify;
  const policy = readPolicy(source, settings, env);
  return isRefusal(policy) ? policy : { dataDir, store, policy, wake, notify };
}

/** leaseTtlMs is lease_ttl_ms in the file and TT_LEASE_TTL_MS in the environment. */
const POLICY_SETTINGS = POLICY_KEYS.map((key) => {
  const name = toSnakeCase(key);
  return { key, name, variable: `TT_${name.toUpperCase()}` };
});

const KNOWN_KEYS: ReadonlySet<string> = new Set([
  "data_dir",
  "store",
  "wake",
  "notify",
  ...POLICY_SETTINGS.map(({ name }) => name),
]);

function defaultFile(env: Environment): string | null {
  const home = homeDirectory(env);
  return home === null ? null : resolve(home, ".config/tt/config.json");
}

/** Only the default file may be missing: a file that the user names must exist. */
function readSettings(file: string, named: boolean): Found {
  let text: string;
  let openToOthers: boolean;
  try {
    // Most users have no such file, and throwing an error for that would take time.
    if (!named && statSync(file, { throwIfNoEntry: false }) === undefined) return { settings: {} };
    const { bytes, stats } = readRegularFile(file, MAX_BYTES);
    openToOthers = (stats.mode & OTHERS_MAY_READ) !== 0;
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (!named && isMissing(error)) return { settings: {} };
    const reason = error instanceof Error ? error.message : String(error);
    const next = named ? "Correct TT_CONFIG, or unset it." : "Make it a readable JSON file, or remove it.";
    return unusable(file, `cannot be read: ${reason}`, next);
  }
  const found = parseSettings(file, text);
  return "settings" in found ? { ...found, openToOthers } : found;
}

/** Only a password is a secret; an address without one may be readable by others. */
function exposed(store: StoreChoice, file: string): StoreChoice {
  return store.kind === "postgres" && hasPassword(store.url) ? { ...store, exposedIn: file } : store;
}

function parseSettings(file: string, text: string): Found {
  const next = 'Write one JSON object, for example {"lease_ttl_ms": 600000}.';
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { settings: { ...value } };
    return unusable(file, "does not hold a JSON object", next);
  } catch {
    // The parser's own message may quote the file, and the file may contain a password.
    return unusable(file, "is not valid JSON", next);
  }
}

function unusable(file: string, problem: string, next: string): Found {
  const message = `The config file ${file} ${problem}.`;
  return { refusal: refuse("invalid_input", message, next, { field: "TT_CONFIG", file }) };
}

function readDataDir(file: string, value: unknown): string | null | Refusal {
  if (value === undefined) return null;
  if (typeof value === "string" && isAbsolute(value) && !value.includes("\0")) return value;
  return wrong(file, "data_dir", ...NOT_ABSOLUTE);
}

function readStore(file: string, fromFile: unknown, env: Environment): StoreChoice | Refusal {
  const fromEnv = env["TT_STORE"];
  if (!fromEnv && fromFile === undefined) return { kind: "sqlite" };
  // A value that is no text is as wrong as a text that names no store.
  const choice = parseStoreChoice(fromEnv || (typeof fromFile === "string" ? fromFile : "?"));
  if (!("problem" in choice)) {
    const wrongVariable = choice.kind === "postgres" ? problemWithVariables(env) : null;
    if (wrongVariable === null) return choice;
    return wrong(null, wrongVariable.variable, wrongVariable.problem, wrongVariable.next);
  }
  return wrong(fromEnv ? null : file, fromEnv ? "TT_STORE" : "store", choice.problem, choice.next);
}

function readWake(file: string, fromFile: unknown, fromEnv: string | undefined): WakeMode | Refusal {
  const given = fromEnv || (fromFile ?? "auto");
  const mode = WAKE_MODES.find((known) => known === given);
  if (mode !== undefined) return mode;
  const next = `Give ${WAKE_MODES.join(", ")}, or leave it out for auto.`;
  return wrong(fromEnv ? null : file, fromEnv ? "TT_WAKE" : "wake", "is not a wake mode", next);
}

const MOST_WORDS = 50;

/** A project may set variables for its commands. So only the file in the user's home may name a command to run. */
function readNotify(file: string, value: unknown, isNamedByVariable: boolean): NotifyChoice | Refusal {
  if (value === undefined || value === "off") return { kind: "off" };
  if (value === "desktop") return { kind: "desktop" };
  const problem = 'is neither off nor desktop, nor a command such as ["/home/me/bin/notify"]';
  const next = "Write off or desktop, or a list of a program with its whole path and its arguments.";
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST_WORDS)
    return wrong(file, "notify", problem, next);
  const words = value.filter((word: unknown) => typeof word === "string" && !word.includes("\0")) as string[];
  if (words.length < value.length || !isAbsolute(words[0] ?? "")) return wrong(file, "notify", problem, next);
  if (!isNamedByVariable) return { kind: "command", words };
  const why = "names a command, which only ~/.config/tt/config.json may do";
  return wrong(file, "notify", why, "Move it to that file and unset TT_CONFIG, or write desktop.");
}

function readPolicy(file: string, settings: Settings, env: Environment): Policy | Refusal {
  const policy: Record<PolicyKey, PolicyValue> = { ...DEFAULT_POLICY };
  for (const { key, name, variable } of POLICY_SETTINGS) {
    const fromEnv = env[variable];
    const given = fromEnv || settings[name];
    const value = typeof given === "string" ? policyValueOf(key, given) : given;
    if (value === undefined) continue;
    const problem = policyValueProblem(key, value);
    if (problem !== null) {
      const next = `Give ${policyValueAdvice(key)}, or leave it out for the default.`;
      return wrong(fromEnv ? null : file, fromEnv ? variable : name, problem, next);
    }
    policy[key] = value as PolicyValue;
  }
  return policy as Policy;
}

function wrong(file: string | null, field: string, problem: string, next: string): Refusal {
  const where = file === null ? `The environment variable ${field}` : `The setting ${field} in ${file}`;
  return refuse("invalid_input", `${where} ${problem}.`, next, file === null ? { field } : { field, file });
}
