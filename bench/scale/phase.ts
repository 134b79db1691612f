/** What a phase of the run comes to: how much was done, how fast, and what it took. */
import { percentile } from "../figure.ts";
import { firstReleases } from "./account.ts";
import type { Call, Deed, Life } from "./records.ts";

/** What was read off the machine and the server at one moment. */
export interface Reading {
  readonly atUs: number;
  /** Processor time so far, in seconds. */
  readonly serverCpu: number;
  readonly agentsCpu: number;
  readonly commits: number;
  readonly walBytes: number;
  readonly databaseBytes: number;
}

export interface Span {
  readonly fromUs: number;
  readonly untilUs: number;
}

export interface PhaseFacts {
  readonly pace: number;
  readonly from: Reading;
  readonly until: Reading;
  /** Connections to the server, looked at once a second. */
  readonly connections: readonly number[];
}

export interface Phase extends PhaseFacts {
  readonly seconds: number;
  readonly calls: ReadonlyMap<Call, number>;
  readonly done: number;
  readonly refused: ReadonlyMap<string, number>;
  readonly faults: ReadonlyMap<string, number>;
  /** From the call that sends to the moment when its agent has it, in microseconds: of all, and where it was waiting. */
  readonly messages: readonly number[];
  readonly messagesAwaited: readonly number[];
  /** From the call that releases to the moment when the next one that waited has its turn. */
  readonly grants: readonly number[];
  /** A command from its start to its end. */
  readonly commands: readonly number[];
}

/** What was under way during `cut` says nothing about speed, and counts in no latency. */
export function phaseOf(facts: PhaseFacts, lives: readonly Life[], cut: Span | null): Phase {
  const inside = ({ endedUs }: Deed) => endedUs >= facts.from.atUs && endedUs < facts.until.atUs;
  const told = lives.flatMap(({ deeds }) => deeds).filter(inside);
  const sent = messagesIn(lives, facts);
  const done = told.filter(({ refused, fault }) => refused === undefined && fault === undefined);
  return {
    ...facts,
    seconds: (facts.until.atUs - facts.from.atUs) / 1e6,
    calls: countBy(done.map(({ call }) => call)),
    done: done.length,
    refused: countBy(told.flatMap(({ call, refused }) => (refused === undefined ? [] : [`${call}: ${refused}`]))),
    faults: countBy(told.flatMap(({ call, fault }) => (fault === undefined ? [] : [`${call}: ${fault}`]))),
    messages: lengths(sent, cut),
    messagesAwaited: lengths(
      sent.filter(({ isAwaited }) => isAwaited),
      cut,
    ),
    grants: lengths(grantsIn(lives, inside), cut),
    commands: lengths(done.filter(({ call }) => call.startsWith("tt ")).map(spanOf), cut),
  };
}

function countBy<Key>(keys: readonly Key[]): ReadonlyMap<Key, number> {
  const counts = new Map<Key, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function spanOf({ begunUs, endedUs }: Deed): Span {
  return { fromUs: begunUs, untilUs: endedUs };
}

function lengths(spans: readonly Span[], cut: Span | null): readonly number[] {
  const beside = ({ fromUs, untilUs }: Span) => cut === null || untilUs < cut.fromUs || fromUs > cut.untilUs;
  return spans.filter(beside).map(({ fromUs, untilUs }) => untilUs - fromUs);
}

interface SentMessage extends Span {
  readonly isAwaited: boolean;
}

/** The messages that processes sent in this phase, until they came for the first time. */
function messagesIn(lives: readonly Life[], { from, until }: PhaseFacts): readonly SentMessage[] {
  const deeds = lives.flatMap((life) => life.deeds);
  const came = new Map<string, Deed>();
  for (const receipt of deeds.toSorted((one, other) => one.endedUs - other.endedUs)) {
    for (const id of receipt.shown ?? []) if (!came.has(id)) came.set(id, receipt);
  }
  return deeds
    .filter(({ call, begunUs }) => call === "send" && begunUs >= from.atUs && begunUs < until.atUs)
    .flatMap(({ messageId = "", begunUs }) => {
      const receipt = came.get(messageId);
      if (receipt === undefined) return [];
      return [{ fromUs: begunUs, untilUs: receipt.endedUs, isAwaited: receipt.begunUs < begunUs }];
    });
}

/** Those whose next one was waiting when the release began. */
function grantsIn(lives: readonly Life[], inside: (deed: Deed) => boolean): readonly Span[] {
  const releases = new Map(
    lives.flatMap((life) => [...firstReleases(life)].map(([turn, deed]) => [`${life.roomId} ${turn}`, deed] as const)),
  );
  return lives.flatMap(({ roomId, deeds }) =>
    deeds
      .filter((deed) => deed.call === "wait" && deed.turnId !== undefined && inside(deed))
      .map((wait) => ({ wait, release: releases.get(`${roomId} ${(wait.turnId ?? 0) - 1}`) }))
      .flatMap(({ wait, release }) =>
        release && wait.begunUs < release.begunUs ? [{ fromUs: release.begunUs, untilUs: wait.endedUs }] : [],
      ),
  );
}

/** In milliseconds or seconds, as text; what was never seen is a dash. */
export function shownMs(us: readonly number[], share: number): string {
  if (us.length === 0) return "–";
  const ms = percentile(us, share) / 1000;
  return ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${ms >= 10 ? ms.toFixed(0) : ms.toFixed(1)} ms`;
}
