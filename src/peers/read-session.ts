/**
 * A peer's recent turns, from its transcript or from its terminal. Only sessions of the reader's own project can be
 * meant: a name that lives elsewhere is as unknown as one that lives nowhere. Changes nothing.
 */
import { type AgentId, asAgentId, type Handle } from "../core/ids.ts";
import { LIMITS } from "../core/limits.ts";
import { isRefusal, type Refusal, refuse } from "../core/refusal.ts";
import { decodeChoice, decodeFlag, decodeId, decodeInteger } from "../engine/decode.ts";
import type { Deps } from "../engine/deps.ts";
import type { Unseen, Whereabouts } from "../engine/ports/peer-sights.ts";
import { outsideSessions } from "../mail/outside-sessions.ts";
import { type ProjectInput, readProject, sightsOf, whereaboutsOf } from "../room/project-sight.ts";
import { findRecipient } from "../room/rules/recipient.ts";
import { hideLeases } from "../stick/rules/hide-leases.ts";
import { lastCharacters, type TranscriptTail, type Turn } from "./rules/transcript.ts";

export const READ_MODES = ["auto", "transcript", "pane"] as const;

export interface ReadSessionInput extends ProjectInput {
  readonly name: string;
  readonly mode?: (typeof READ_MODES)[number];
  readonly limit?: number;
  readonly maxBytes?: number;
  readonly includeTimestamps?: boolean;
  /** False: the whole transcript is gone through, to say how many messages it has. */
  readonly tailScan?: boolean;
  readonly paneLines?: number;
  readonly paneMaxChars?: number;
}

interface Peer {
  readonly agentId: AgentId;
  readonly handle: Handle | null;
  readonly harness: string;
}

export interface TranscriptAnswer extends Peer, Omit<TranscriptTail, "turns" | "path"> {
  readonly mode: "transcript";
  readonly transcriptPath: string;
  readonly count: number;
  readonly messages: readonly (Pick<Turn, "role" | "text"> & { readonly at?: string | null })[];
}

export interface PaneAnswer extends Peer {
  readonly mode: "pane";
  readonly pane: string;
  readonly text: string;
  readonly charsTruncated: boolean;
}

type Command = ReturnType<typeof decoded>;

export async function readSession(
  deps: Deps,
  input: ReadSessionInput,
): Promise<TranscriptAnswer | PaneAnswer | Refusal> {
  const command = decoded(input);
  const wrong = Object.values(command).find((value) => isRefusal(value));
  if (wrong) return wrong;
  const found = await findPeer(deps, input);
  if (isRefusal(found)) return found;
  return withoutLeases(deps, await look(deps, found.peer, found.whereabouts, command as Accepted<Command>));
}

/** The leases are read after the text: one that was granted in between could stand in it. */
async function withoutLeases<Seen extends TranscriptAnswer | PaneAnswer | Refusal>(
  deps: Deps,
  seen: Seen,
): Promise<Seen> {
  if (isRefusal(seen)) return seen;
  const { rooms } = await deps.store.readRooms({ owned: true });
  const leases = rooms.flatMap(({ lease }) => lease?.leaseId ?? []);
  if (seen.mode === "pane") return { ...seen, text: hideLeases(seen.text, leases) };
  return { ...seen, messages: seen.messages.map((turn) => ({ ...turn, text: hideLeases(turn.text, leases) })) };
}

type Accepted<Fields> = { readonly [Name in keyof Fields]: Exclude<Fields[Name], Refusal> };

function decoded(input: ReadSessionInput) {
  return {
    mode: decodeChoice("mode", input.mode ?? "auto", READ_MODES),
    limit: decodeInteger("limit", input.limit ?? 20, { min: 1, max: LIMITS.turnsPerRead }),
    maxBytes: decodeInteger("max_bytes", input.maxBytes ?? 24_000, LIMITS.transcriptBytes),
    includeTimestamps: decodeFlag("include_timestamps", input.includeTimestamps),
    tailScan: decodeFlag("tail_scan", input.tailScan, true),
    paneLines: decodeInteger("pane_lines", input.paneLines ?? 240, { min: 1, max: LIMITS.paneLines }),
    paneMaxChars: decodeInteger("pane_max_chars", input.paneMaxChars ?? 20_000, { min: 1, max: LIMITS.paneCharacters }),
  };
}

async function findPeer(deps: Deps, input: ReadSessionInput) {
  const name = decodeId("name", input.name);
  if (isRefusal(name)) return name;
  const project = await readProject(deps, input);
  if (isRefusal(project)) return project;
  const present = await deps.store.resolveAlias(asAgentId(name));
  const outside = outsideSessions(deps, project).find(
    ({ agentId, sessionId }) => agentId === present || sessionId === name,
  );
  if (outside)
    return { peer: { agentId: outside.agentId, handle: null, harness: outside.harness }, whereabouts: outside };
  const sights = sightsOf(deps, project);
  const [first] = sights;
  const evidence = {
    verdicts: new Map(sights.flatMap(({ given }) => [...given.evidence.verdicts])),
    activity: new Map(sights.flatMap(({ given }) => [...given.evidence.activity])),
  };
  if (!first)
    return refuse("unknown_recipient", "There are no sessions here.", [
      "See whose can be read: ",
      { do: "list_project_sessions" },
    ]);
  const named = findRecipient(project.rooms, { ...first.given, evidence }, present, deps.tmuxSessions());
  if (isRefusal(named)) return named;
  const agentId = project.aliases.get(named) ?? named;
  const whereabouts = whereaboutsOf(deps, project, sights).get(agentId);
  if (!whereabouts) return hidden({ unseen: `${agentId} runs on another machine.`, next: "Ask the agent itself." });
  const handle = project.rooms.flatMap((room) => room.presence.get(named)?.handle ?? [])[0] ?? null;
  return { peer: { agentId, handle, harness: whereabouts.harness }, whereabouts };
}

async function look(deps: Deps, peer: Peer, whereabouts: Whereabouts, command: Accepted<Command>) {
  if (!deps.sights) return hidden({ unseen: "Nothing can be seen of sessions from here.", next: "Ask it." });
  const transcript = command.mode === "pane" ? null : await lookAtTranscript(deps, peer, whereabouts, command);
  if (transcript && !("unseen" in transcript)) return transcript;
  const pane = command.mode === "transcript" ? null : lookAtPane(deps, peer, whereabouts, command);
  if (pane && !("unseen" in pane)) return pane;
  return hidden((transcript ?? pane) as Unseen);
}

async function lookAtTranscript(deps: Deps, peer: Peer, whereabouts: Whereabouts, command: Accepted<Command>) {
  const { limit, maxBytes, tailScan: tailOnly, includeTimestamps } = command;
  const seen = await deps.sights?.transcript(whereabouts, { limit, maxBytes, tailOnly });
  if (!seen || "unseen" in seen) return seen ?? null;
  const { turns, path, ...rest } = seen;
  const messages = turns.map(({ role, text, at }) => ({ role, text, ...(includeTimestamps && { at }) }));
  return { ...peer, mode: "transcript" as const, transcriptPath: path, count: messages.length, messages, ...rest };
}

function lookAtPane(deps: Deps, peer: Peer, whereabouts: Whereabouts, command: Accepted<Command>) {
  const seen = deps.sights?.pane(whereabouts, command.paneLines);
  if (!seen || "unseen" in seen) return seen ?? null;
  const shown = seen.text.trimEnd().split("\n").slice(-command.paneLines).join("\n");
  const text = lastCharacters(shown, command.paneMaxChars);
  return { ...peer, mode: "pane" as const, pane: seen.pane, text, charsTruncated: text.length < shown.length };
}

function hidden({ unseen, next }: Unseen): Refusal {
  return refuse("recipient_unreachable", unseen, next);
}
