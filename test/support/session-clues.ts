/** Evidence about a caller, written down as a test needs it: everything that is not mentioned is not there. */
import { createHash } from "node:crypto";
import type { ProcessSight, Variables } from "../../src/core/harness.ts";
import { asAgentId } from "../../src/core/ids.ts";
import type { ProcessRef } from "../../src/core/process.ts";
import { HARNESSES } from "../../src/harness/harnesses.ts";
import type { GivenName, Records, SessionEvidence } from "../../src/session/rules/evidence.ts";

export function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export interface ClueOptions {
  readonly env?: Variables;
  /** Command lines of the ancestors, nearest first. */
  readonly above?: readonly (string | ProcessSight)[];
  /** False in a sandbox with process numbers of its own. */
  readonly complete?: boolean;
  readonly tty?: boolean;
  readonly leader?: string;
  readonly pane?: string;
  readonly named?: Partial<GivenName> & { readonly agentId: GivenName["agentId"] };
  readonly namedProcess?: ProcessRef;
  readonly records?: Partial<Records>;
  readonly shared?: boolean;
  /** For a server: what came with the call. */
  readonly call?: SessionEvidence["call"];
}

export function clues(options: ClueOptions): SessionEvidence {
  const { above = [], named } = options;
  return {
    call: options.call ?? null,
    env: options.env ?? {},
    harnesses: HARNESSES,
    ancestry: {
      processes: above.map((process, index) => (typeof process === "string" ? sight(process, 100 - index) : process)),
      complete: options.complete ?? true,
    },
    terminal: {
      isTty: options.tty ?? false,
      user: "ada",
      hostName: "engine",
      tmuxPane: options.pane ?? null,
      leader: options.leader === undefined ? null : sight(options.leader, 50),
    },
    named: named
      ? { source: "--agent", given: named.agentId, callerIsNow: null, typed: true, isSession: false, ...named }
      : null,
    namedProcess: options.namedProcess ?? null,
    records: { ownSessionId: null, card: null, claim: null, ...options.records },
    shared: options.shared ?? false,
    hash,
  };
}

/** A process by its command line; the kernel's name for it is that of the program or script. */
export function sight(command: string, pid: number, executable: string | null = null): ProcessSight {
  const argv = command.split(" ");
  const [program = ""] = argv;
  return { ref: processWith(pid), name: program.slice(program.lastIndexOf("/") + 1, 15), executable, argv };
}

export function processWith(pid: number): ProcessRef {
  return { host: "local", bootId: "boot-1", pidNamespace: "pid:[1]", pid, startTicks: `${pid}00` };
}

/** The id of a session whose own id is known. */
export function idOf(harness: string, sessionId: string) {
  return asAgentId(`${harness}:${hash(sessionId).slice(0, 8)}`);
}

/** The provisional id of a process. */
export function provisionalId(harness: string, pid: number) {
  return asAgentId(`${harness}:${hash(`process local/boot-1/pid:[1]/${pid}/${pid}00`).slice(0, 8)}`);
}
