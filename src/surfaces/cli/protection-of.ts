/** How far the harnesses of this user keep to a mode of the guard, as their files and the kept proofs say. */
import { type GuardMode, mayRefuse } from "../../core/policy.ts";
import { isRefusal } from "../../core/refusal.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Protection } from "../../prove/rules/protection.ts";
import { type GuardedHarness, roomProtection } from "../../prove/rules/room-protection.ts";
import type { CliContext } from "./context.ts";

export interface GuardedBy {
  readonly protection: Protection;
  readonly harnesses: readonly GuardedHarness[];
}

export async function protectionOfMode({ ports }: CliContext, mode: GuardMode): Promise<GuardedBy> {
  const installer = await ports.installer("read");
  const harnesses = isRefusal(installer) ? [] : installer.guarded();
  return { protection: roomProtection(mode, harnesses), harnesses };
}

/** For the board. Null: a room in this mode refuses nothing. */
export async function shownProtection(context: CliContext, mode: GuardMode): Promise<Protection | null> {
  return mayRefuse(mode) ? (await protectionOfMode(context, mode)).protection : null;
}

const LOOK_AGAIN_MS = 60_000;

/** The same for a console, which looks often: it reads the files of the harnesses at most once a minute. */
export function protectionSight(context: CliContext, clock: Clock): (mode: GuardMode) => Promise<Protection | null> {
  const seen = new Map<GuardMode, { readonly atMs: number; readonly protection: Protection | null }>();
  return async (mode) => {
    const { wallMs } = clock.now();
    const before = seen.get(mode);
    if (before && Math.abs(wallMs - before.atMs) < LOOK_AGAIN_MS) return before.protection;
    const protection = await shownProtection(context, mode);
    seen.set(mode, { atMs: wallMs, protection });
    return protection;
  };
}
