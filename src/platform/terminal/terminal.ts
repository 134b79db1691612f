/** The caller's terminal: whether there is one, whose it is, and who leads its session. */

import type { ProcessSight, Variables } from "../../core/harness.ts";
import type { Ancestry, Terminal } from "../../session/rules/evidence.ts";
import type { ProcessSights } from "../process/process-sights.ts";
import { isTerminal } from "./is-terminal.ts";

/** A pipeline of a person keeps at least one of the three on the terminal. */
const STANDARD_STREAMS = [0, 1, 2] as const;

export function readTerminal(
  env: Variables,
  sights: ProcessSights,
  ancestry: Ancestry,
  isTty = anyStreamIsTty(),
): Terminal {
  let leader: ProcessSight | null | undefined;
  return {
    isTty,
    // Only a person's id is made of these two.
    get user() {
      return LOCAL_USER.user;
    },
    get hostName() {
      return LOCAL_USER.hostName;
    },
    tmuxPane: paneIn(env),
    // Read on demand: not used where the harness is known.
    get leader() {
      if (leader === undefined) leader = leaderOf(process.pid, sights, ancestry);
      return leader;
    },
  };
}

function leaderOf(pid: number, sights: ProcessSights, { processes }: Ancestry): ProcessSight | null {
  const leaderPid = sights.leaderPidOf(pid);
  if (leaderPid === null) return null;
  return processes.find(({ ref }) => ref.pid === leaderPid) ?? sights.look(leaderPid)?.sight ?? null;
}

function anyStreamIsTty(): boolean {
  return STANDARD_STREAMS.some(isTerminal);
}

/** The user that runs this process, and its machine. Read on demand. */
export const LOCAL_USER: Pick<Terminal, "user" | "hostName"> = {
  get user() {
    return userName();
  },
  get hostName() {
    return idPart(process.getBuiltinModule("node:os").hostname()) || "localhost";
  },
};

function userName(): string {
  try {
    const { username, uid } = process.getBuiltinModule("node:os").userInfo();
    return idPart(username) || `uid-${uid}`;
  } catch {
    // A user id without an entry in the user list has no name.
    return `uid-${process.getuid?.() ?? "unknown"}`;
  }
}

/** Names become part of ids, which have no blanks. */
function idPart(name: string): string {
  return name.replace(/[\s\p{C}]+/gu, "-");
}

function paneIn(env: Variables): string | null {
  const pane = env["TMUX_PANE"];
  return pane !== undefined && /^%\d{1,9}$/.test(pane) ? pane : null;
}
