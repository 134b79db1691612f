/** Histories as the processes wrote them down: one file each, append-only, cut off anywhere by a SIGKILL. */
import { readFileSync, writeFileSync } from "node:fs";
import type { EventView } from "../../../src/room/rules/event-view.ts";
import type { Answer, HistoryLine, Operation, Request } from "./operation.ts";

/** Everything the checker is given. */
export interface History {
  /** The whole log, read when all was over. */
  readonly log: readonly EventView[];
  /** The room as it was read when all was over. */
  readonly final: FinalRoom;
  readonly operations: readonly Operation[];
  /** When an agent's process cannot have been alive any more: no sooner than this. */
  readonly endedAt: ReadonlyMap<string, number>;
  /** What processes that ended as nobody wanted them to said about it. */
  readonly crashes: readonly string[];
  /** The room's times, which say when something may expire. */
  readonly times: RoomTimes;
}

export interface FinalRoom {
  readonly turnId: number;
  readonly owner: string | null;
  readonly reservedFor: string | null;
  readonly memberCount: number;
}

export interface RoomTimes {
  readonly leaseTtlMs: number;
  readonly claimTtlMs: number;
  readonly releaseClaimTtlMs: number;
}

export interface AgentHistory {
  readonly operations: readonly Operation[];
  /** When it said that it was about to end, if it came to that. */
  readonly endedAt: number | null;
}

export function readHistory(agent: string, file: string): AgentHistory {
  return parseHistory(agent, readFileSync(file, "utf8"));
}

export function parseHistory(agent: string, text: string): AgentHistory {
  const asked: { readonly request: Request; readonly invokedAt: number }[] = [];
  const answers = new Map<number, { readonly answer: Answer; readonly answeredAt: number }>();
  let endedAt: number | null = null;
  // What follows the last line break is a line that its writer did not live to finish.
  for (const line of text.split("\n").slice(0, -1)) {
    const entry = JSON.parse(line) as HistoryLine;
    if ("ended" in entry) endedAt = entry.ended;
    else if ("q" in entry) asked[entry.i] = { request: entry.q, invokedAt: entry.t };
    else answers.set(entry.i, { answer: entry.a, answeredAt: entry.t });
  }
  const unanswered = { answer: null, answeredAt: Number.POSITIVE_INFINITY };
  const operations = asked.map((question, index) => ({
    agent,
    index,
    ...question,
    ...(answers.get(index) ?? unanswered),
  }));
  return { operations, endedAt };
}

/** Real processes do not repeat themselves: a history worth a second look is kept, to be checked again. */
export function keepHistory(history: History, file: string): void {
  writeFileSync(file, JSON.stringify({ ...history, endedAt: [...history.endedAt] }));
}

export function recallHistory(file: string): History {
  const kept = JSON.parse(readFileSync(file, "utf8")) as History & { readonly endedAt: Iterable<[string, number]> };
  // JSON knows no infinity: an operation without an answer has lost the time of it.
  const operations = kept.operations.map((operation) =>
    operation.answer === null ? { ...operation, answeredAt: Number.POSITIVE_INFINITY } : operation,
  );
  return { ...kept, operations, endedAt: new Map(kept.endedAt) };
}
