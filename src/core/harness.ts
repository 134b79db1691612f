/**
 * How a harness is recognised from a process that it started. Each harness lives in a folder of src/harness; no rule
 * knows one by name.
 */
import type { ProcessRef } from "./process.ts";

/** Environment variables by name. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A process as the machine shows it. */
export interface ProcessSight {
  readonly ref: ProcessRef;
  /** The short name the kernel keeps, such as `node`. */
  readonly name: string;
  /** The program file; null when the machine will not tell. */
  readonly executable: string | null;
  readonly argv: readonly string[];
}

/**
 * `session`: one process is one session, so what is known of the process is known of the session.
 * `server`: one process serves many sessions and proves nothing about any of them.
 * `helper`: started by the harness for one command; it shows whose command it is and nothing else.
 */
export type ProcessRole = "session" | "server" | "helper";

/** What a harness leaves in the environment of its commands. */
export interface HarnessMark {
  readonly sessionId: string | null;
  /** The harness's own process, when the environment names it. */
  readonly pid: number | null;
}

/** A file in which a harness itself keeps the session id of one of its processes. */
export interface SessionFile {
  path(pid: number, env: Variables, home: string): string;
  sessionIdIn(text: string, pid: number): string | null;
}

export interface HarnessIdentity {
  /** The first part of its agents' ids and the base of their handles. */
  readonly name: string;
  /** The variables that it sets for its commands. `markIn` finds a mark only if one of them is set. */
  readonly markedBy: readonly string[];
  /** Of its variables, the first of these that is set names the session of a command. */
  readonly sessionNamedBy: readonly string[];
  /** Null if this harness did not create the environment. */
  markIn(env: Variables): HarnessMark | null;
  /** Null for a process that does not belong to this harness. */
  roleOf(process: ProcessSight, mark: HarnessMark | null): ProcessRole | null;
  /** The version it names in the environment of its commands. */
  versionIn?(env: Variables): string | null;
  readonly sessionFile?: SessionFile;
  /** How its MCP client calls itself. */
  readonly mcpClient?: string;
  /** The argument that our plugin adds to each call, if the MCP client itself sends no session id. */
  readonly sessionArgument?: string;
  /** The session id that came along with a call of its MCP client, in `_meta` or as that argument. */
  sessionIdInCall?(meta: Readonly<Record<string, unknown>>): string | null;
  /** Whether a command with this environment was started by a subagent of the session. */
  isSubagentIn?(env: Variables): boolean;
  /** Whether a subagent of the session made this call of its MCP client. */
  isSubagentInCall?(meta: Readonly<Record<string, unknown>>): boolean;
  /** The id of the tool use that a call belongs to, if only its hooks tell whether a subagent uses the tool. */
  toolUseInCall?(meta: Readonly<Record<string, unknown>>): string | null;
}

/** Session ids become file names and parts of commands, so only plain ones are accepted. */
const SESSION_ID = /^[A-Za-z0-9_-]{1,128}$/;

export function isSessionId(value: unknown): value is string {
  return typeof value === "string" && SESSION_ID.test(value);
}

/** The first of the values that can be a session id. */
export function firstSessionId(...values: readonly (string | undefined)[]): string | null {
  return values.find(isSessionId) ?? null;
}

export function pidIn(value: string | undefined): number | null {
  return value !== undefined && /^[1-9]\d{0,9}$/.test(value) ? Number(value) : null;
}
