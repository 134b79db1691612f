/** tt doctor: what is here, what is wrong, and the next command for each finding. Changes nothing. */

import { Fault } from "../../../../core/fault.ts";
import type { Finding } from "../../../../core/finding.ts";
import type { RoomId } from "../../../../core/ids.ts";
import { isRefusal } from "../../../../core/refusal.ts";
import { quoted } from "../../../../core/visible.ts";
import type { Deps } from "../../../../engine/deps.ts";
import { doubledSessions } from "../../../../peers/doubled-sessions.ts";
import { type HarnessProtection, provenWords } from "../../../../prove/rules/protection.ts";
import { roomState } from "../../../../room/get-room-state.ts";
import { kickable } from "../../../../room/kickable.ts";
import type { MemberView } from "../../../../room/rules/view.ts";
import type { Caller } from "../../../../session/rules/decision-input.ts";
import { wrap, wrapWhole } from "../../../words/wrap.ts";
import type { Arguments, Command } from "../../command.ts";
import type { CliContext } from "../../context.ts";
import { EXIT } from "../../exit-codes.ts";
import { roomOf } from "../../room-of.ts";
import { IDENTITY_SOURCE_LABELS } from "../../text/identity-source-labels.ts";
import { UsageError } from "../../usage-error.ts";
import { runProofs } from "./prove.ts";
import { serverFindings } from "./server-findings.ts";

export const doctor: Command = {
  name: "doctor",
  summary: "look at version, store, files, harnesses, identity and members",
  details: [
    "With --prove it runs the harnesses that you name, or all that are installed, against a scripted model: offline, without an account, as a throwaway user. It tries whether a message reaches the model, whether a write without the stick is refused, and whether a wake starts a turn.",
  ],
  example: "tt doctor --prove claude codex",
  positionals: [{ name: "path" }, { name: "harness", rest: true }],
  flags: {
    prove: { kind: "boolean", help: "run harnesses and prove what holds in them; the words are their names" },
    timeout: { kind: "duration", maxHours: 1, help: "how long --prove waits for each harness; 90s by default" },
  },
  async run(context, args) {
    const words = [args.positional("path") ?? [], args.rest].flat();
    if (args.isSet("prove")) return runProofs(context, words);
    refuseUnused(args);
    // A store that does not open is a finding below.
    const opened = await openFindings(context);
    const named = context.args.text("room") === undefined ? null : await roomOf(context).catch(() => null);
    if (isRefusal(named) && named.error === "room_not_found") return context.refuse(named);
    // The files may be as they should be, and yet the store does not open.
    const isBroken = opened.some(({ name, level }) => name === "store" && level === "broken");
    const found = context.ports
      .diagnose()
      .filter(({ name, level }) => !(isBroken && name === "store" && level === "ok"));
    // What is wrong with a file may also be why the store does not open.
    const others = opened.filter(({ text }) => !found.some((finding) => finding.text === text));
    const findings = [...found, ...(await harnessFindings(context)), ...others];
    const ok = findings.every((finding) => finding.level === "ok");
    await context.answer({ ok, findings }, () => findings.map((finding) => findingText(context, finding)).join("\n"));
    return findings.some((finding) => finding.level === "broken") ? EXIT.fault : EXIT.done;
  },
};

function refuseUnused(args: Arguments): void {
  const [second] = args.rest;
  if (second !== undefined) throw new UsageError(`${quoted(second)} is one word too many for tt doctor.`, HINT);
  if (args.number("timeout") !== undefined) throw new UsageError("--timeout belongs to --prove.", HINT);
}

const HINT = "To try harnesses, add --prove.";

/** Whether each harness is set up as this program would do it now. */
async function harnessFindings(context: CliContext): Promise<readonly Finding[]> {
  const installer = await context.ports.installer("read");
  if (!isRefusal(installer)) return [...installer.inspect(), ...installer.protections().map(proofFinding)];
  // Settings that cannot be used were told already.
  return isRefusal(await context.deps().catch(() => null))
    ? []
    : [{ name: "harnesses", level: "warning", text: installer.message, next: context.wordsOf(installer.next) }];
}

function proofFinding({ harness, title, ...proven }: HarnessProtection): Finding {
  const how = proven.protection.level === "not_proven" ? `; to try it, run: tt doctor --prove ${harness}` : "";
  return { name: "proof", level: "ok", text: `${title}: ${provenWords(proven)}${how}` };
}

/** What only an open store can tell. That it does not open is a finding, too. */
async function openFindings(context: CliContext): Promise<Finding[]> {
  try {
    // Settings that cannot be used were told already.
    const deps = await context.deps();
    if (isRefusal(deps)) return [];
    return [
      ...(deps.store.lacksChanges ? [LACKS_CHANGES] : []),
      ...(await lookedAtServer(context)),
      ...(await identityFindings(context)),
      ...(await doubledFindings(context)),
      ...(await roomFindings(context)),
    ];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const holders = error.facts["holder_pids"];
    const who = Array.isArray(holders) && holders.length > 0 ? ` It is held by process ${holders.join(", ")}.` : "";
    const found: Finding = {
      name: "store",
      level: "broken",
      text: `${error.code}: ${error.message}${who}`,
      next: context.ports.insideHarness() ? error.nextInHarness : error.next,
    };
    return error.code === "store_corrupt" ? [found, ...context.ports.diagnoseUsers()] : [found];
  }
}

const LACKS_CHANGES: Finding = {
  name: "store",
  level: "warning",
  text: "the log of the store (tt.db-wal) lacks changes that were in it: it was removed or cut while nothing had the store open, or the machine lost power",
  next: "look with tt rooms and tt log whether changes are missing; if they are, restore a backup of tt.db, after you removed tt.db-wal and tt.db-shm",
};

async function lookedAtServer(context: CliContext): Promise<readonly Finding[]> {
  const deps = await context.deps();
  if (isRefusal(deps)) return [];
  const { store, clock } = deps;
  if (!store.lookAtServer) return [];
  // No room has been read yet, so this is still the clock of the machine.
  const askedMs = clock.now().wallMs;
  const server = await store.lookAtServer();
  const answeredMs = clock.now().wallMs;
  // The smallest question: what it takes is the way there and back.
  await store.changeMark();
  const roundTripMs = Math.max(0, clock.now().wallMs - answeredMs);
  const aheadMs = (askedMs + answeredMs) / 2 - server.moment.wallMs;
  return serverFindings({ server, roundTripMs, aheadMs });
}

async function identityFindings(context: CliContext): Promise<Finding[]> {
  const identification = await context.identification();
  if (isRefusal(identification)) return [];
  const { identity } = identification;
  if (isRefusal(identity))
    return [{ name: "identity", level: "warning", text: identity.message, next: context.wordsOf(identity.next) }];
  const proof = identity.verified ? "" : " (provisional)";
  return [
    {
      name: "identity",
      level: "ok",
      text: `${identity.agentId}, known by ${IDENTITY_SOURCE_LABELS[identity.idSource]}${proof}`,
      next: `${context.tt} whoami --explain`,
    },
  ];
}

async function doubledFindings(context: CliContext): Promise<Finding[]> {
  const deps = await context.deps();
  if (isRefusal(deps)) return [];
  const doubled = await doubledSessions(deps, { contextPath: context.path, roomId: context.args.text("room") });
  // What is wrong with the path or the room is told below.
  if (isRefusal(doubled)) return [];
  return doubled.map(({ agentId, pids }) => ({
    name: "session",
    level: "warning",
    text: `${agentId} runs in processes ${pids.join(" and ")}: to the room they are one agent, so both may write at once`,
    next: "end all but one of them, or start a new session there",
  }));
}

async function roomFindings(context: CliContext): Promise<Finding[]> {
  const room = await roomOf(context);
  if (isRefusal(room)) {
    const level = room.error === "room_not_found" ? "ok" : "warning";
    return [{ name: "room", level, text: room.message, next: context.wordsOf(room.next) }];
  }
  const deps = await context.deps();
  if (isRefusal(deps)) return [];
  const caller = await context.caller();
  const state = await roomState(deps, caller, room.id);
  if (isRefusal(state)) return [];
  const findings: Finding[] = [{ name: "room", level: "ok", text: `${room.path} is ${state.room.state}` }];
  const lost = LOST_HOLDER[state.room.state];
  if (lost !== undefined) {
    findings.push({
      name: "holder",
      level: "warning",
      text: `${state.room.owner} holds the stick but ${lost}`,
      next: `${context.tt} take --reason "…"`,
    });
  }
  const silent = state.members.filter(({ status, agentId }) => status === "inactive" && agentId !== state.room.owner);
  for (const member of silent.slice(0, MOST_SILENT)) {
    findings.push(await silentFinding(context, deps, caller, room.id, member));
  }
  const others = Math.max(0, silent.length - MOST_SILENT) + (state.membersNotListed ?? 0);
  if (others > 0) findings.push({ ...manySilent(others), next: `${context.tt} prune` });
  return findings;
}

const LOST_HOLDER: Readonly<Record<string, string>> = {
  owner_gone: "its process is gone",
  silent_owner: "its machine is silent: it may be dead or cut off",
  stale_owner: "its lease has expired",
};

/** More of them are told by their number. */
const MOST_SILENT = 5;

function manySilent(count: number): Finding {
  return { name: "members", level: "warning", text: `${count} other members are not active either` };
}

/** Proposes only what would work. */
async function silentFinding(
  { tt }: CliContext,
  deps: Deps,
  caller: Caller | null,
  roomId: RoomId,
  { agentId, lastSeenAt }: MemberView,
): Promise<Finding> {
  const kick = caller ? await kickable(deps, caller, { roomId, target: agentId }) : "not";
  const text = `${agentId} has not been active since ${lastSeenAt ?? "long ago"}`;
  if (kick === "not") return { name: "member", level: "warning", text };
  return kick === "plainly"
    ? { name: "member", level: "warning", text: `${text}; its process is gone`, next: `${tt} kick ${agentId}` }
    : { name: "member", level: "warning", text: `${text}; it may be alive`, next: `${tt} kick ${agentId} --force` };
}

function findingText({ paint, columns }: CliContext, { name, level, text, next }: Finding): string {
  const mark =
    level === "ok" ? paint.green("ok     ") : level === "warning" ? paint.yellow("warning") : paint.red("broken ");
  const indent = " ".repeat(18);
  const advice =
    next !== undefined && level !== "ok" ? `\n${indent}next: ${wrapWhole(next, columns, `${indent}      `)}` : "";
  return `${mark} ${name.padEnd(9)} ${wrap(text, columns, indent)}${advice}`;
}
