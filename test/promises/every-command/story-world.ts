/** One machine in one process, on a store of any kind: the command line and the MCP server answer in it. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import postgres from "postgres";
import { onTestFinished } from "vitest";
import { asAgentId } from "../../../src/core/ids.ts";
import { DEFAULT_POLICY } from "../../../src/core/policy.ts";
import type { Deps } from "../../../src/engine/deps.ts";
import type { Bell } from "../../../src/engine/ports/bell.ts";
import type { Store } from "../../../src/engine/ports/store.ts";
import { openAgentFiles } from "../../../src/platform/agents/agent-files.ts";
import { createSystemClock } from "../../../src/platform/clock/clock.ts";
import { jitter } from "../../../src/platform/clock/randomness.ts";
import { prepareDataDirectory } from "../../../src/platform/files/data-directory.ts";
import { createWorkspace } from "../../../src/platform/git/workspace.ts";
import { openMemory } from "../../../src/store/memory/store.ts";
import { openPostgres } from "../../../src/store/postgres/open.ts";
import { openFileBell } from "../../../src/store/sqlite/bell.ts";
import { openSqliteStore } from "../../../src/store/sqlite/open.ts";
import { InProcess } from "../../cli-slow/support/in-process.ts";
import { inProcessPorts } from "../../mcp/support/in-process.ts";
import { InProcessClient } from "../../mcp/support/in-process-client.ts";
import { servicePorts } from "../../support/service-ports.ts";
import { quickDirectory } from "../../support/temporary-directory.ts";

export type StoreKind = "memory" | "sqlite" | "postgres";

export interface StoryWorld {
  readonly root: string;
  readonly deps: Deps;
  /** The processes that have died, by the names of their agents. */
  readonly gone: Set<string>;
  readonly commands: InProcess;
  readonly tools: InProcessClient;
}

const clock = createSystemClock();

export async function storyWorld(kind: StoreKind, server: string | null): Promise<StoryWorld> {
  const root = quickDirectory();
  const dataDir = join(root, "data");
  const data = prepareDataDirectory(dataDir, { uid: process.getuid?.() ?? -1 });
  const { store, bell } = await openStore(kind, data, server);
  const gone = new Set<string>();
  const deps = servicePorts({
    store,
    bell,
    clock,
    gone,
    workspace: createWorkspace({ home: null, shared: false }),
    // A command that could wait without success does not wait for long.
    policy: { ...DEFAULT_POLICY, waitMaxMs: 20_000 },
  });
  const interrupted = new AbortController().signal;
  const commands = new InProcess({ root, deps }, { memory: openAgentFiles(dataDir), interrupted });
  const directory = (path: string) => {
    const full = join(root, path);
    mkdirSync(full, { recursive: true });
    return full;
  };
  const tools = new InProcessClient(inProcessPorts({ deps, directory }));
  onTestFinished(async () => {
    await tools.close();
    await bell.close();
    await store.close();
  });
  return { root, deps, gone, commands, tools };
}

async function openStore(
  kind: StoreKind,
  { database, bell }: { readonly database: string; readonly bell: string },
  server: string | null,
): Promise<{ readonly store: Store; readonly bell: Bell }> {
  if (kind === "memory") return openMemory({ clock });
  if (kind === "sqlite") {
    const store = await openSqliteStore({ file: database, clock, jitter });
    return { store, bell: openFileBell({ directory: bell, clock }) };
  }
  const url = server as string;
  const schema = `story_${Math.random().toString(36).slice(2)}`;
  onTestFinished(async () => {
    const admin = postgres(url, { max: 1, onnotice: () => undefined });
    await admin.unsafe(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.end();
  });
  return openPostgres({ url, schema });
}

/** Looked at from outside the story: how often it must be looked at is different on every store. */
export async function untilWaiting({ deps }: StoryWorld, agent: string): Promise<void> {
  const isWaiting = async () =>
    (await deps.store.readRooms({})).rooms.some(({ waits }) => [...waits.keys()].some((name) => name === agent));
  while (!(await isWaiting())) await nextTurn();
}

export async function untilAsked({ deps }: StoryWorld): Promise<void> {
  while ((await deps.store.readWaitingAsks()).length === 0) await nextTurn();
}

export async function untilReceiving({ deps }: StoryWorld, agent: string): Promise<void> {
  const look = { kind: "messages", ids: [] } as const;
  const isReceiving = async () =>
    (await deps.store.readMailbox(asAgentId(agent), look)).window.box.receivers.length > 0;
  while (!(await isReceiving())) await nextTurn();
}

export async function untilNothingInFlight({ deps }: StoryWorld, agent: string): Promise<void> {
  const look = { kind: "live", limit: 1 } as const;
  const inFlight = async () => (await deps.store.readMailbox(asAgentId(agent), look)).window.box.counts.in_flight;
  while ((await inFlight()) > 0) await nextTurn();
}
