/**
 * Mail through a hook. A hook first settles what was shown before (src/mail/rules/show.ts). Then it takes and frames
 * the messages that fit. Messages that do not fit stay pending; the text says how many they are, and they come with the
 * next hook. After the text has left this process, the messages are marked as shown. A hook that dies before that shows
 * the same messages again.
 *
 * The flag of the session stays up while a message is shown, or could be shown by the next hook, so that the hooks of
 * tools look. Otherwise this hook lowers the flag. If the flag was raised since the hook began to look, it looks at the
 * mailbox again instead.
 */

import { LIMITS } from "../core/limits.ts";
import type { Delivery } from "../core/mail-records.ts";
import { givenFor, withVerdicts } from "../engine/evidence.ts";
import type { FlagSight } from "../engine/ports/mail-flags.ts";
import { policiesOf } from "../engine/room-policies.ts";
import { changeMailbox } from "../mail/change-mailbox.ts";
import { answersFor } from "../mail/rules/acknowledge.ts";
import { maybeBreaksTurns, wasShownBefore } from "../mail/rules/delivery.ts";
import { boxOf } from "../mail/rules/mail-change.ts";
import { unread } from "../mail/rules/mailbox.ts";
import type { ReceivedMessage } from "../mail/rules/message.ts";
import { markShown, type Showing, type Shown, showMail } from "../mail/rules/show.ts";
import type { TakeMail } from "../mail/rules/take.ts";
import { withBodies } from "../mail/take-messages.ts";
import { type Caller, NO_EVIDENCE } from "../session/rules/decision-input.ts";
import type { HookDeps } from "./hook-deps.ts";
import { fittingMail, mailText } from "./rules/fit-mail.ts";
import type { HookCall } from "./rules/hook.ts";

export interface HookMail {
  /** Empty when there is nothing to say. */
  readonly text: string;
  readonly afterFlush: () => Promise<void>;
  /** Mail waits, and the hook has no time left to show it. */
  readonly late: boolean;
}

/** Mail that is taken and not shown in time uses up an attempt, so a late hook leaves it to the next one. */
const LEAST_MS = 200;
const LOOK = { kind: "lanes", perSender: LIMITS.messagesPerRead, from: null, withShown: true } as const;
/** A hook reports no acknowledgement to any caller, and after a power failure the mail is shown again. */
const NO_FSYNC = { waitsForDisk: "nothing" } as const;

interface Plan extends Shown {
  readonly announcedSeq: number;
  readonly newestSeq: number;
  /** How many messages wait and can be read, including those that may be taken. */
  readonly pending: number;
  /** How many messages are still shown and not settled. */
  readonly shown: number;
}

/** The part of the plan that this hook shows, and whether the next hook can show more. */
interface Portion {
  readonly fitting: readonly ReceivedMessage[];
  readonly goesOn: boolean;
}

/**
 * `flag`: the state of the flag before the hook looked at anything else. `spent`: how many characters the hook says
 * besides.
 */
export async function waitingMail(
  deps: HookDeps,
  caller: Caller,
  call: HookCall,
  flag: FlagSight,
  spent = 0,
): Promise<HookMail> {
  const plan = await planned(deps, caller, call);
  if (plan === null) return { text: "", late: false, afterFlush: () => settleFlag(deps, caller, call, flag) };
  const { fitting, goesOn } = await portionOf(deps, caller, call, plan, spent);
  const late = fitting.length > 0 && deps.leftMs() < LEAST_MS;
  const takes = !late && !call.mailFollows;
  const among = new Set(takes ? fitting.map(({ deliverySeq }) => deliverySeq) : []);
  const isWorthAChange = among.size > 0 || plan.seen + plan.returned > 0;
  const { deliveries } = isWorthAChange ? await show(deps, caller, call, among) : { deliveries: [] };
  if (late) return { text: "", late, afterFlush: async () => void deps.flags.raise([call.sessionId]) };
  // A planned message that is gone went through another door, such as the hook of a parallel tool.
  const left = plan.pending - among.size;
  const isNews = newestHeld(call, plan, among) > plan.announcedSeq;
  const isNamed = left > 0 && (isNews || fitting.length > 0);
  const how = { follows: call.mailFollows === true, goesOn };
  const taken = new Set(deliveries.map(({ seq }) => seq));
  const messages = fitting.filter(({ deliverySeq }) => taken.has(deliverySeq));
  return {
    text: mailText(messages, isNamed ? left : 0, how),
    late,
    afterFlush: async () => {
      await mark(deps, caller, call, { deliveries, announcedSeq: isNamed ? plan.newestSeq : 0 });
      if (deliveries.length > 0 || goesOn) deps.flags.raise([call.sessionId]);
      else await settleFlag(deps, caller, call, flag);
    },
  };
}

/**
 * For a hook that shows nothing: it only settles what was shown. It leaves the flag up for the next hook, because the
 * flag may have been raised for something other than mail.
 */
export async function settleShown(deps: HookDeps, caller: Caller, call: HookCall): Promise<void> {
  const plan = await planned(deps, caller, call);
  if (plan === null) return;
  if (plan.seen + plan.returned > 0) await show(deps, caller, call, new Set());
  if (plan.pending + plan.shown > 0) deps.flags.raise([call.sessionId]);
}

/** What this hook would do now; null if the mailbox is empty. It writes only what time has changed. */
async function planned(deps: HookDeps, caller: Caller, call: HookCall): Promise<Plan | null> {
  for (;;) {
    const { window, moment } = await deps.store.readMailbox(caller.agentId, LOOK);
    if (unread(window.box) + window.box.shown === 0) return null;
    const askers = window.asks.map((ask) => ask.caller);
    const given = givenFor(deps, caller, moment, withVerdicts(deps, NO_EVIDENCE, askers));
    const { mail, answer } = showMail(window, given, showingOf(call));
    if (!answer.again) {
      const { counts, shown, announcedSeq } = boxOf(mail, window.box.agentId);
      const newestSeq = Math.max(0, ...window.deliveries.map(({ seq }) => seq));
      return { ...answer, announcedSeq, newestSeq, shown, pending: counts.pending + answer.deliveries.length };
    }
    // Some deliveries have ended. That is recorded first, because there may be more mail behind them.
    await show(deps, caller, call, new Set());
  }
}

/** Uses the smallest limit of all rooms that the session is in. */
async function portionOf(deps: HookDeps, caller: Caller, call: HookCall, plan: Plan, spent: number): Promise<Portion> {
  const { maxCharacters } = call;
  const policies = await policiesOf(deps, caller.agentId);
  const most = Math.min(...policies.map(({ hookMaxChars }) => hookMaxChars));
  const held = new Set(plan.deliveries.filter((delivery) => isHeld(call, delivery)).map(({ seq }) => seq));
  const budget = { now: Math.min(maxCharacters - spent, most), ever: Math.min(maxCharacters, most) };
  const messages = await withBodies(deps, plan.deliveries);
  const { fitting, later } = fittingMail(messages, budget, ({ deliverySeq }) => held.has(deliverySeq));
  return { fitting, goesOn: later > 0 || (call.mailFollows === true && fitting.length > 0) };
}

/**
 * A person stopped the turn in which it was shown, so no turn is made to go on for it. It may even be the message that
 * breaks turns.
 */
function isHeld({ event }: HookCall, delivery: Delivery): boolean {
  return maybeBreaksTurns(delivery) || (event === "stop" && wasShownBefore(delivery));
}

function showingOf({ harness, event, sign }: HookCall, among?: ReadonlySet<number>): Showing {
  const take: TakeMail = {
    limit: LIMITS.messagesPerRead,
    maxBytes: LIMITS.messageBytesPerRead,
    onePerSender: false,
    from: null,
    transport: `hook:${harness}:${event}`,
    ...(among && { among }),
  };
  return { sign, take };
}

async function show(
  deps: HookDeps,
  caller: Caller,
  call: HookCall,
  among: ReadonlySet<number>,
): Promise<Pick<Shown, "deliveries">> {
  const showing = showingOf(call, among);
  for (;;) {
    const shown = await changeMailbox(
      deps,
      caller,
      LOOK,
      (window, given) => showMail(window, given, showing),
      NO_FSYNC,
    );
    if (!shown.again) return shown;
  }
}

async function mark(
  deps: HookDeps,
  caller: Caller,
  call: HookCall,
  { deliveries, announcedSeq }: { readonly deliveries: readonly Delivery[]; readonly announcedSeq: number },
): Promise<void> {
  if (deliveries.length === 0 && announcedSeq === 0) return;
  const answers = answersFor(deliveries);
  const look = { kind: "numbers", seqs: answers.map(({ seq }) => seq) } as const;
  const told = { answers, turn: call.sign.turn, announcedSeq };
  await changeMailbox(deps, caller, look, (window, given) => markShown(window, given, told), NO_FSYNC);
}

/**
 * The newest message that could have been shown but did not fit. At the end of a turn, messages that were shown before
 * do not count.
 */
function newestHeld(call: HookCall, { deliveries }: Plan, fitting: ReadonlySet<number>): number {
  const left = deliveries.filter(({ seq }) => !fitting.has(seq));
  const news = call.event === "stop" ? left.filter((delivery) => !wasShownBefore(delivery)) : left;
  return Math.max(0, ...news.map(({ seq }) => seq));
}

async function settleFlag(deps: HookDeps, caller: Caller, { sessionId }: HookCall, flag: FlagSight): Promise<void> {
  if (await isWorthALook(deps, caller)) return void deps.flags.raise([sessionId]);
  deps.flags.lower(sessionId, flag);
  if (await isWorthALook(deps, caller)) deps.flags.raise([sessionId]);
}

/** Something is shown and has to be settled, or there is mail that the session was not told of. */
async function isWorthALook({ store }: HookDeps, { agentId }: Caller): Promise<boolean> {
  const { window } = await store.readMailbox(agentId, { kind: "messages", ids: [] });
  const { box } = window;
  if (box.shown > 0) return true;
  if (unread(box) === 0) return false;
  const newer = await store.readMailbox(agentId, { kind: "live", limit: 1, after: box.announcedSeq });
  return newer.window.deliveries.length > 0;
}
