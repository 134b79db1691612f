/** What can be diagnosed about the installation without opening the store. */

import { Fault, readOnlyFault } from "../core/fault.ts";
import type { Finding } from "../core/finding.ts";
import { wordNext } from "../core/next.ts";
import { isExposed, parsePostgresAddress } from "../core/postgres-address.ts";
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { forbiddenInStore, inspectDataDirectory } from "../platform/files/data-directory.ts";
import { pathIn } from "../platform/files/path-in.ts";
import { lockHolders } from "../platform/process/lock-holders.ts";
import { notifierProgram } from "../platform/process/notifier-program.ts";
import { type StoreProcess, storeProcesses } from "../platform/process/store-processes.ts";
import type { NotifyChoice } from "../platform/settings/config.ts";
import type { Environment } from "../platform/settings/environment.ts";
import type { Settings } from "./settings.ts";

export function diagnose(
  version: string,
  settings: Settings | Refusal,
  { env, insideHarness }: { readonly env: Environment; readonly insideHarness: () => boolean },
): readonly Finding[] {
  const findings: Finding[] = [
    { name: "version", level: "ok", text: `tt ${version} on Node ${process.versions.node}, ${process.platform}` },
  ];
  if (isRefusal(settings)) {
    return [...findings, { name: "settings", level: "broken", text: settings.message, next: wordNext(settings.next) }];
  }
  const { store, notify } = settings.config;
  return [
    ...findings,
    ...(store.kind === "postgres" ? sharedStore(store.url) : localStore(settings, insideHarness)),
    notifications(notify, notifierProgram(notify, env)),
  ];
}

function notifications({ kind }: NotifyChoice, program: string | null): Finding {
  if (kind === "off") return { name: "notify", level: "ok", text: "notifications are off (docs/notifications.md)" };
  if (program !== null)
    return { name: "notify", level: "ok", text: `notifications go through ${program}`, next: "tt notify test" };
  const [text, next] =
    kind === "desktop"
      ? ["neither notify-send nor osascript is on PATH", "install notify-send, or name a command of your own"]
      : ["the command cannot be run", "correct notify in ~/.config/tt/config.json"];
  return { name: "notify", level: "warning", text: `notifications are on, but ${text}`, next };
}

function sharedStore(url: string): readonly Finding[] {
  const address = parsePostgresAddress(url);
  const store: Finding = { name: "store", level: "ok", text: "PostgreSQL, shared by several machines" };
  if (!isExposed(address)) return [store];
  const text = `the connection to ${address.hosts.join(", ")} is not encrypted, so others on the network can read it`;
  return [
    store,
    { name: "network", level: "warning", text, next: "add sslmode=verify-full to the address of the store" },
  ];
}

function localStore(settings: Settings, insideHarness: () => boolean): readonly Finding[] {
  return [...storeFiles(settings, insideHarness), ...lostProcesses(pathIn(settings.dataDir, "tt.db"))];
}

function storeFiles({ dataDir }: Settings, insideHarness: () => boolean): readonly Finding[] {
  try {
    const database = inspectDataDirectory(dataDir, { uid: process.getuid?.() ?? -1 });
    const forbidden = forbiddenInStore(pathIn(dataDir, "tt.db"));
    if (forbidden) throw readOnlyFault(forbidden);
    if (database === null)
      return [
        {
          name: "store",
          level: "ok",
          text: `${dataDir} does not exist yet; the first command that needs it creates it`,
        },
      ];
    const holders = lockHolders(database);
    return [
      { name: "store", level: "ok", text: `${database}, readable only by you` },
      holders.length === 0
        ? { name: "locks", level: "ok", text: "no process is writing now" }
        : {
            name: "locks",
            level: "warning",
            text: `process ${holders.join(", ")} is writing now`,
            next: `ps -p ${holders.join(",")}`,
          },
    ];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const next = insideHarness() ? error.nextInHarness : error.next;
    return [{ name: "files", level: "broken", text: `${error.code}: ${error.message}`, next }];
  }
}

/** Processes that write to files that were removed or replaced. Ending one is safe: it saves what it can. */
function lostProcesses(database: string): readonly Finding[] {
  const users = storeProcesses(database);
  if (users === null)
    return [{ name: "process", level: "ok", text: "this system does not show which processes have the store open" }];
  const lost = users.filter(({ hasLostFiles }) => hasLostFiles);
  return lost.map((process) => ({
    name: "process",
    level: "broken",
    text: `${described(process)} has files of the store open that were removed or replaced`,
    next: `kill ${process.pid}`,
  }));
}

/** For a store that cannot be used: what may be in its way. */
export function diagnoseUsers(settings: Settings | Refusal): readonly Finding[] {
  if (isRefusal(settings) || settings.shared) return [];
  const users = storeProcesses(pathIn(settings.dataDir, "tt.db"));
  return (users ?? [])
    .filter(({ hasLostFiles }) => !hasLostFiles)
    .map((process) => ({
      name: "process",
      level: "warning",
      text: `${described(process)} has the store open`,
      next: `kill ${process.pid}`,
    }));
}

function described({ pid, command, agent }: StoreProcess): string {
  return `process ${pid} (${agent === null ? command : `${command}, ${agent}`})`;
}
