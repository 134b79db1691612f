/**
 * Mail through a hook. What fits is taken and framed, what does not stays pending and is named by its number, and
 * nothing is acknowledged before it has left this process: a hook that dies in between shows the same messages again.
 *
 * The flag of the session is lowered when its mailbox holds nothing that the session has not been told of, unless it was
 * raised since the hook began to look, for whatever reason; then the mailbox is looked at once more.
 */
import { type Caller, NO_EVIDENCE } from "../../domain/given.ts";
import { fittingMail, mailText } from "../../domain/hooks/fit-mail.ts";
import type { HookCall } from "../../domain/hooks/hook.ts";
import { LIMITS } from "../../domain/limits.ts";
import type { Delivery } from "../../domain/mail/delivery.ts";
import { unread } from "../../domain/mail/mailbox.ts";
import { takeMail } from "../../domain/mail/take.ts";
import type { FlagSight } from "../../ports/mail-flags.ts";
import { givenFor, withVerdicts } from "../evidence.ts";
import { announce, changeMailbox } from "../mail/change-mailbox.ts";
import { type TakeCommand, take, withBodies } from "../mail/take-messages.ts";
import { policiesOf } from "../room-policies.ts";
import type { HookDeps } from "./hook-deps.ts";

export interface HookMail {
  /** Empty when there is nothing to say. */
  readonly text: string;
  readonly afterFlush: () => Promise<void>;
}

/** What is taken and not shown in time counts as an attempt, so a hook that is late leaves it to the next one. */
const LEAST_MS = 200;

interface Plan {
  /** What may be taken now, in its order. */
  readonly deliveries: readonly Delivery[];
  /** What waits and can be read, including what may be taken. */
  readonly pending: number;
  readonly newestSeq: number;
  readonly announcedSeq: number;
}

/** `flag`: as it was seen before anything else was looked at. */
export async function waitingMail(deps: HookDeps, caller: Caller, call: HookCall, flag: FlagSight): Promise<HookMail> {
  const command = commandOf(call);
  const plan = await planned(deps, caller, command);
  const fitting = plan === null ? [] : await fittingNow(deps, caller, plan, call.maxCharacters);
  if (fitting.length > 0 && deps.leftMs() < LEAST_MS) {
    return { text: "", afterFlush: async () => void deps.flags.raise([call.sessionId]) };
  }
  const among = new Set(fitting.map(({ deliverySeq }) => deliverySeq));
  const taken = fitting.length === 0 ? null : await take(deps, caller, { ...command, among });
  const messages = taken?.answer.messages ?? [];
  // What fits and was not there any more has gone through another door, such as the hook of a tool that runs beside.
  const left = plan === null ? 0 : plan.pending - fitting.length;
  const isNews = plan !== null && newestHeld(plan, among) > plan.announcedSeq;
  return {
    text: mailText(messages, isNews ? left : 0, call.mailFollows),
    afterFlush: async () => {
      await taken?.confirm();
      if (isNews) await announce(deps, caller, plan.newestSeq);
      await settleFlag(deps, caller, call, flag);
    },
  };
}

/** What fits into one hook, by the strictest of the rooms that the session is in. */
async function fittingNow(deps: HookDeps, caller: Caller, { deliveries }: Plan, maxCharacters: number) {
  const policies = await policiesOf(deps, caller.agentId);
  const most = Math.min(maxCharacters, ...policies.map(({ hookMaxChars }) => hookMaxChars));
  return fittingMail(await withBodies(deps, deliveries), most);
}

function commandOf({ harness, event }: HookCall): TakeCommand {
  return {
    limit: LIMITS.messagesPerRead,
    maxBytes: LIMITS.messageBytesPerRead,
    onePerSender: false,
    from: null,
    transport: `hook:${harness}:${event}`,
  };
}

/** What a take would give now; null when there is nothing at all. Writes nothing but what time has done. */
async function planned(deps: HookDeps, caller: Caller, command: TakeCommand): Promise<Plan | null> {
  const look = { kind: "lanes", perSender: command.limit, from: null } as const;
  for (;;) {
    const { window, moment } = await deps.store.readMailbox(caller.agentId, look);
    if (unread(window.box) === 0) return null;
    const askers = window.asks.map((ask) => ask.caller);
    const given = givenFor(deps, caller, moment, withVerdicts(deps, NO_EVIDENCE, askers));
    const { deliveries, again } = takeMail(window, given, command).answer;
    if (!again) {
      const { counts, announcedSeq } = window.box;
      const newestSeq = Math.max(0, ...window.deliveries.map(({ seq }) => seq));
      return { deliveries, pending: counts.pending, newestSeq, announcedSeq };
    }
    // Time has ended some of it, which is written down first; more may lie behind it.
    await changeMailbox(deps, caller, look, (now, nowGiven) => takeMail(now, nowGiven, { ...command, limit: 0 }), {
      waitsForDisk: "all",
    });
  }
}

/** The newest message that might have been shown and did not fit. */
function newestHeld({ deliveries }: Plan, fitting: ReadonlySet<number>): number {
  return Math.max(0, ...deliveries.filter(({ seq }) => !fitting.has(seq)).map(({ seq }) => seq));
}

async function settleFlag(deps: HookDeps, caller: Caller, { sessionId }: HookCall, flag: FlagSight): Promise<void> {
  if (await hasUntold(deps, caller)) return void deps.flags.raise([sessionId]);
  deps.flags.lower(sessionId, flag);
  if (await hasUntold(deps, caller)) deps.flags.raise([sessionId]);
}

async function hasUntold({ store }: HookDeps, { agentId }: Caller): Promise<boolean> {
  const { window } = await store.readMailbox(agentId, { kind: "messages", ids: [] });
  const { box } = window;
  if (unread(box) === 0) return false;
  const newer = await store.readMailbox(agentId, { kind: "live", limit: 1, after: box.announcedSeq });
  return newer.window.deliveries.length > 0;
}
