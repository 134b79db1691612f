/**
 * Finds out who is calling: gathers all evidence once, lets the rules judge it, and writes nothing but the trace. It
 * asks the store only about a name that the caller gives itself.
 */

import { isWordForOthers } from "../../core/agent-id.ts";
import { type HarnessIdentity, type HarnessMark, type ProcessSight, pidIn } from "../../core/harness.ts";
import { type AgentId, asAgentId, isId } from "../../core/ids.ts";
import { withSnakeKeys } from "../../core/letter-case.ts";
import { invalidInput, isRefusal } from "../../core/refusal.ts";
import type { ProcessProbe } from "../../engine/ports/process-probe.ts";
import type {
  Ancestry,
  CallEvidence,
  GivenName,
  Records,
  SessionEvidence,
  SessionName,
  Surroundings,
} from "../../session/rules/evidence.ts";
import { anchorOf, findHarness, type HarnessFinding, isOfHarness } from "../../session/rules/harness-finding.ts";
import { detectSession, identify } from "../../session/rules/identify.ts";
import type { Anchor, Identification, Identity, IdentityRefusal } from "../../session/rules/identity.ts";
import { sha256Hex } from "../files/digest.ts";
import { homeDirectory } from "../files/home-directory.ts";
import { createProcessSights, type ProcessSights } from "../process/process-sights.ts";
import type { Environment } from "../settings/environment.ts";
import { trace } from "../streams/trace.ts";
import { readTerminal } from "../terminal/terminal.ts";
import { readSessionCard } from "./session-card.ts";
import { shownSessionId } from "./session-file.ts";
import { readStickyClaim } from "./sticky-claim.ts";
import { createSubagentMarks } from "./subagent-marks.ts";

export type IdentifyCallerOptions = HookOptions | NameableOptions;

interface CommonOptions {
  readonly env: Environment;
  /** What `--agent` named. */
  readonly agent?: string | undefined;
  readonly dataDir: string;
  /** Whether other machines use the same store. */
  readonly shared: boolean;
  readonly probe: ProcessProbe;
  readonly harnesses: readonly HarnessIdentity[];
  /** For a server: the evidence that came with the call that it answers. */
  readonly call?: CallEvidence;
  /** Where the caller works. */
  readonly cwd?: string;
  /** Whether a terminal is there; looked up unless a test says so. */
  readonly isTty?: boolean;
  /** Where the caller runs, if that was read already. A long-lived process passes what its reader gives it. */
  readonly surroundings?: Surroundings;
}

/** A harness tells its hook the session, so a hook ignores names. */
interface HookOptions extends CommonOptions {
  /** What its harness said on standard input. */
  readonly hook: SessionName;
}

interface NameableOptions extends CommonOptions {
  readonly hook?: undefined;
  /** The agent that a name means now, according to the store; called only if a name was given. */
  readonly presentName: (agentId: AgentId) => Promise<AgentId>;
  /** Whether the store knows a name as that of a session; called only for a name that is not the caller's own. */
  readonly isSession?: (agentId: AgentId) => Promise<boolean>;
}

export async function identifyCaller(options: IdentifyCallerOptions): Promise<Identification> {
  const { env, dataDir, probe, shared } = options;
  const surroundings = options.surroundings ?? lookAround(options);
  const finding = findHarness(surroundings);
  const anchor = anchorOf(finding, surroundings);
  const records = readRecords(dataDir, anchor, finding, env);
  const given = options.hook ? null : givenName(options);
  const namedPid = options.hook ? null : givenPid(env);
  const refused = (wrong: IdentityRefusal) => ({
    identity: wrong,
    strategies: [],
    anchor,
    told: null,
    next: wrong.next,
  });
  const wrong = isRefusal(given) ? given : isRefusal(namedPid) ? namedPid : null;
  if (wrong) return refused(wrong);
  const nameless: SessionEvidence = {
    ...surroundings,
    call: options.call ?? null,
    hook: options.hook ?? null,
    named: null,
    namedProcess: typeof namedPid === "number" ? probe.find(namedPid) : null,
    records,
    shared,
    hash: sha256Hex,
  };
  const detected = detectSession(nameless, finding);
  // Inside a session the variable is ignored; it may be left over from before.
  if (typeof namedPid === "number" && !nameless.namedProcess && !detected) return refused(noProcess(namedPid));
  const named = options.hook || !given || isRefusal(given) ? null : await whoseName(options, given, detected);
  const identification = identify({ ...nameless, named }, finding);
  const { identity, strategies } = identification;
  trace(env, "detection", () => withSnakeKeys({ identity, strategies }) as object);
  return { ...identification, facts: factsOf(options, identity, finding, records) };
}

/** A card describes one session, not an earlier one in the same process. */
function factsOf(
  options: IdentifyCallerOptions,
  identity: Identification["identity"],
  finding: HarnessFinding,
  { card }: Records,
): NonNullable<Identification["facts"]> {
  const { env, call, cwd } = options;
  const sessionId = isRefusal(identity) ? null : identity.sessionId;
  const harness = "harness" in finding ? finding.harness : null;
  const isSubagent = !options.hook && harness !== null && isSubagentOf(harness, options, sessionId);
  return {
    harnessVersion: harness && (call?.clientVersion ?? harness.versionIn?.(env) ?? null),
    cwd: cwd ?? null,
    transcriptPath: card && card.sessionId === sessionId ? card.transcriptPath : null,
    ...(isSubagent && { isSubagent }),
  };
}

/** Whether a subagent calls, according to what the harness says about the call or command, or to its hooks. */
function isSubagentOf(
  harness: HarnessIdentity,
  { env, call, dataDir }: CommonOptions,
  sessionId: string | null,
): boolean {
  const toolUse = call ? (harness.toolUseInCall?.(call.meta) ?? null) : null;
  const marks = createSubagentMarks(dataDir);
  if (toolUse !== null && marks.wasUse(toolUse)) return true;
  if (sessionId !== null && marks.areAtWork(sessionId)) return true;
  return (call ? harness.isSubagentInCall?.(call.meta) : harness.isSubagentIn?.(env)) ?? false;
}

/** Whether a harness runs this process, as far as the program can tell without the store. */
export function isInsideHarness(surroundings: Surroundings): boolean {
  return isOfHarness(findHarness(surroundings));
}

/**
 * For a long-lived process: it reads its surroundings again only when its parent changes. The harness that started it
 * stays the same, even if a process in between has ended.
 */
export function createSurroundingsReader(options: LookAroundOptions): () => Surroundings {
  let seen: { readonly parent: number; readonly surroundings: Surroundings } | null = null;
  return () => {
    if (seen?.parent !== process.ppid) seen = { parent: process.ppid, surroundings: lookAround(options) };
    return seen.surroundings;
  };
}

type LookAroundOptions = Pick<CommonOptions, "env" | "probe" | "harnesses" | "isTty">;

export function lookAround({ env, probe, harnesses, isTty }: LookAroundOptions): Surroundings {
  const sights = createProcessSights(probe.self());
  const marked = harnesses.map((harness) => ({ harness, mark: harness.markIn(env) }));
  const ancestry = readAncestry(sights, (above) => isHarnessItself(above, marked));
  return { env, harnesses, ancestry, terminal: readTerminal(env, sights, ancestry, isTty) };
}

/** More than any real chain of processes has. A broken chain must not make the walk endless. */
const MOST_ANCESTORS = 64;

/**
 * The processes above, from the parent up to the first process of the machine, or up to one that `isEnough`. In a
 * sandbox with its own process numbers the walk ends early, and the ancestry says that it is not complete.
 */
function readAncestry(sights: ProcessSights, isEnough: (process: ProcessSight) => boolean): Ancestry {
  const processes: ProcessSight[] = [];
  let pid = process.ppid;
  while (pid > 0 && processes.length < MOST_ANCESTORS) {
    const seen = sights.look(pid);
    if (!seen) return { processes, complete: false };
    processes.push(seen.sight);
    if (isEnough(seen.sight)) return { processes, complete: false };
    pid = seen.parentPid;
  }
  return { processes, complete: pid === 0 && sights.wholeMachine };
}

/** The nearest one decides; what is above it does not matter. */
function isHarnessItself(
  above: ProcessSight,
  marked: readonly { readonly harness: HarnessIdentity; readonly mark: HarnessMark | null }[],
): boolean {
  return marked.some(({ harness, mark }) => {
    const role = harness.roleOf(above, mark);
    return role === "session" || role === "server";
  });
}

/** An empty variable counts as not set. An empty flag is a mistake. */
function givenName({ env, agent }: CommonOptions): Pick<GivenName, "source" | "given"> | IdentityRefusal | null {
  const names = [
    ["--agent", agent],
    ["TT_AGENT_ID", env["TT_AGENT_ID"] || undefined],
    ["TT_HARNESS_AGENT_ID", env["TT_HARNESS_AGENT_ID"] || undefined],
  ] as const;
  const [source, name] = names.find(([, value]) => value !== undefined) ?? [];
  if (source === undefined) return null;
  if (!isId(name)) return noName(source, "gives no name: 1 to 256 visible characters without spaces");
  if (isWordForOthers(name)) return noName(source, `is ${name}, a reserved word`);
  return { source, given: asAgentId(name) };
}

async function whoseName(
  { presentName, isSession, call }: NameableOptions,
  { source, given }: Pick<GivenName, "source" | "given">,
  detected: Identity | null,
): Promise<GivenName> {
  const agentId = await presentName(given);
  return {
    source,
    given,
    agentId,
    callerIsNow: detected && (await presentName(detected.agentId)),
    typed: source === "--agent" && call === undefined,
    isSession: detected !== null && agentId !== detected.agentId && ((await isSession?.(agentId)) ?? false),
  };
}

/** Null when no process was named. */
function givenPid(env: Environment): number | IdentityRefusal | null {
  const named = env["TT_AGENT_PID"];
  if (!named) return null;
  const pid = pidIn(named);
  if (pid !== null) return pid;
  return invalidInput("TT_AGENT_PID", "TT_AGENT_PID is not a process id.", GIVE_A_PROCESS);
}

const GIVE_A_PROCESS = "Give the id of the process that is the agent, such as $$, or leave it out.";

/** The caller sets TT_AGENT_PID so that its death is noticed; without such a process nobody would notice. */
function noProcess(pid: number): IdentityRefusal {
  const message = `TT_AGENT_PID is ${pid}, but no such process can be seen here.`;
  return invalidInput("TT_AGENT_PID", message, GIVE_A_PROCESS);
}

function noName(source: string, why: string): IdentityRefusal {
  return invalidInput(
    source === "--agent" ? "agent" : source,
    `${source} ${why}.`,
    `Give a name such as script:nightly with ${source}, or leave it out.`,
  );
}

function readRecords(dataDir: string, anchor: Anchor | null, finding: HarnessFinding, env: Environment): Records {
  if (!anchor) return { ownSessionId: null, card: null, claim: null };
  const { process } = anchor;
  return {
    ownSessionId:
      finding.kind === "ancestor" ? shownSessionId(finding.harness, process.pid, env, homeDirectory(env)) : null,
    card: readSessionCard(dataDir, process),
    claim: readStickyClaim(dataDir, process),
  };
}
