/**
 * What is known of machines that share a store.
 *
 *   heard   a process that stays there (a wait, a listener, the keeper of a turn) renewed lately
 *   silent  such a process should run there, and the machine was not heard of for longer than SILENT_AFTER_MS
 *           For a session there, its own calls count as well: a killed process leaves its note, and a holder there may work
 *   quiet   no such process is noted, so nothing is expected of the machine, and its silence says nothing
 *
 * While the server itself was away it heard of no machine. So silence needs a witness: another machine that was heard of
 * meanwhile, without a gap.
 *
 * From outside, a machine that died and one that is cut off look the same. So silence takes nothing away by itself: it
 * gives others a ground to take the stick over, and a wait from there is served after the others.
 *
 * A process renews for all of its machine. A cut of half a minute, right before a renewal and with the time to connect
 * again, is shorter than the limit. The limit and the time of a look are shorter than a minute.
 */

import { type BootRef, bootKey, type ProcessRef } from "../../core/process.ts";
import { after, type Deadline, elapsedMs, hasPassed, type Instant, latest, span } from "../../core/time.ts";
import type { Evidence } from "./decision-input.ts";

/** Where several processes stay, one of them renews, when the last renewal is so old. */
export const FRESH_MS = 10_000;
/** They come for that within this time, one after the other. */
export const SPREAD_MS = 2000;
export const SILENT_AFTER_MS = 50_000;
/** After a longer silence of its own, a machine must be heard of again for a while before it is a witness. */
export const GAP_MS = 30_000;
/** So long another machine must have been heard of without a gap, while this one was not. */
const WITNESSED_MS = 20_000;
const LOOK_AGAIN_MS = 5000;

/** A machine since it started, and its name for people. Several machines may have the same name. */
export interface NamedBoot extends BootRef {
  readonly name: string;
}

/** A machine since it started, as the store heard of it. */
export interface HeardHost extends NamedBoot {
  readonly heard: Instant;
  /** Since when it was heard of without a gap. */
  readonly unbroken: Instant;
  /** Whether a process is noted that stays there. */
  readonly isKept: boolean;
}

/** Another machine, and those that may witness its silence. */
export interface OtherHost extends HeardHost {
  /** What people call it, so that no two machines are called the same. */
  readonly label: string;
  readonly witnesses: readonly Pick<HeardHost, "heard" | "unbroken">[];
  /** It has the id of this machine, but another name. */
  readonly isClone: boolean;
}

/** Another machine than the reader's, as people see it. */
export interface SeenMachine {
  readonly label: string;
  /** When it was last heard of; null if it is not silent. */
  readonly silentSince: Instant | null;
}

export type HeardHosts = ReadonlyMap<string, OtherHost>;

/** All but this machine since it started: what is silent about it is its own fault. It may be a witness. */
export function otherHosts(hosts: readonly HeardHost[], self: NamedBoot): HeardHosts {
  const others = hosts.filter((host) => bootKey(host) !== bootKey(self));
  const named = [self, ...hosts];
  const other = (host: HeardHost): OtherHost => ({
    ...host,
    label: labelAmong(host, named),
    witnesses: hosts.filter((one) => one !== host),
    isClone: host.host === self.host && host.name !== self.name,
  });
  return new Map(others.map((host) => [bootKey(host), other(host)]));
}

interface Seen {
  readonly evidence: Pick<Evidence, "hosts">;
  readonly moment: { readonly instant: Instant };
}

/** A session that runs on a machine, or ran there, and its last sign of life. */
interface Sign {
  readonly process: ProcessRef | null | undefined;
  readonly lastSeen: Instant | null | undefined;
}

/** For how long the machine of that session is silent; null if it is not. */
export function hostSilentMs(session: Sign, seen: Seen): number | null {
  const host = hostOf(session, seen);
  return host ? silentMsOf(host, seen.moment.instant) : null;
}

/** The machine of a session. It was heard of at the session's last sign of life, too, if that came from there. */
function hostOf({ process, lastSeen }: Sign, { evidence: { hosts } }: Seen): OtherHost | null {
  const host = process && hosts?.get(bootKey(process));
  return host && lastSeen ? { ...host, heard: latest(lastSeen, host.heard) } : (host ?? null);
}

function silentMsOf({ heard, isKept, witnesses }: OtherHost, now: Instant): number | null {
  if (!isKept || !hasPassed(after(heard, SILENT_AFTER_MS), now)) return null;
  const isWitnessed = witnesses.some((one) => elapsedMs(latest(one.unbroken, heard), one.heard) >= WITNESSED_MS);
  return isWitnessed ? elapsedMs(heard, now) : null;
}

/**
 * What people are told of machines, and since when nothing was heard of them. All boots of a machine count as one, and
 * each sign of life from there counts. A takeover is stricter: there each boot counts by itself, and so does each session.
 */
export function machinesSeen(
  signs: Iterable<Sign>,
  { evidence: { hosts }, moment: { instant } }: Seen,
): (machine: PerhapsBoot) => SeenMachine {
  const boots = new Map<string, { readonly boot: BootRef; readonly heard: Instant }>();
  const note = (boot: BootRef, heard: Instant) => {
    const known = boots.get(bootKey(boot))?.heard;
    boots.set(bootKey(boot), { boot, heard: known ? latest(known, heard) : heard });
  };
  for (const host of hosts?.values() ?? []) note(host, host.heard);
  for (const { process, lastSeen } of signs) if (process && lastSeen) note(process, lastSeen);
  return ({ host: id, bootId }) => {
    const noted = [...(hosts?.values() ?? [])].filter(({ host }) => host === id);
    const own = noted.find((one) => one.bootId === bootId);
    // Clones of a machine have one id. A boot that is not noted may be any of them.
    const isOther = (boot: BootRef) => own && (hosts?.get(bootKey(boot))?.name ?? own.name) !== own.name;
    const its = [...boots.values()].filter(({ boot }) => boot.host === id && !isOther(boot));
    const newest = its.toSorted((a, b) => b.heard.ms - a.heard.ms)[0];
    const host = newest && hosts?.get(bootKey(newest.boot));
    const isSilent = host && silentMsOf({ ...host, heard: newest.heard }, instant) !== null;
    return { label: (own ?? host ?? noted[0])?.label ?? id, silentSince: isSilent ? newest.heard : null };
  };
}

/** When to look whether the machine of that session is silent; null if that is known, or the machine is quiet. */
export function silenceDeadline(session: Sign, seen: Seen): Deadline | null {
  const { instant } = seen.moment;
  const host = hostOf(session, seen);
  if (!host?.isKept || silentMsOf(host, instant) !== null) return null;
  return latest(after(host.heard, SILENT_AFTER_MS), after(instant, LOOK_AGAIN_MS));
}

/** Also a clone of the reader's machine, which has its id. An earlier boot of the reader's machine is not elsewhere. */
export function isElsewhere(process: BootRef, self: BootRef, hosts: HeardHosts): boolean {
  return process.host !== self.host || hosts.get(bootKey(process))?.isClone === true;
}

/**
 * A machine as people see it: by its name, and with the beginning of its id where several have that name. `bootId`: null
 * if it is not known.
 */
export function hostLabel({ host, bootId }: PerhapsBoot, hosts: Iterable<NamedBoot>): string {
  const all = [...hosts];
  const boots = all.filter((one) => one.host === host);
  const named = boots.find((one) => one.bootId === bootId) ?? boots[0];
  return named ? labelAmong(named, all) : host;
}

export interface PerhapsBoot {
  readonly host: string;
  readonly bootId: string | null;
}

function labelAmong({ host, name }: NamedBoot, all: readonly NamedBoot[]): string {
  const isShared = all.some((one) => one.name === name && one.host !== host);
  return isShared ? `${name} (${host.slice(0, SHORT_ID)})` : name;
}

const SHORT_ID = 6;

/** For how long a machine is silent, as a field of an answer; none if it is not. */
export function silenceFields({ silentSince }: SeenMachine, now: Instant): { readonly hostSilentMs?: number } {
  return silentSince === null ? {} : { hostSilentMs: Math.floor(elapsedMs(silentSince, now)) };
}

/** A machine that died and one that is cut off look the same from outside. */
export function lastHeardText(silentMs: number): string {
  return `was last heard of ${span(silentMs)} ago: it may be dead or cut off`;
}
