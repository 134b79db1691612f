/** How far the harnesses of this user keep to a mode of the guard, as their files and the kept proofs say. */
import type { GuardMode } from "../../core/policy.ts";
import { isRefusal } from "../../core/refusal.ts";
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
