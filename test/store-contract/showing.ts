/** What a hook does to a mailbox: it settles what was shown before, takes what it shows, and marks that. */

import type { Deps } from "../../src/engine/deps.ts";
import { changeMailbox } from "../../src/mail/change-mailbox.ts";
import { attemptOf } from "../../src/mail/rules/delivery.ts";
import { markShown, showMail, type TurnSign } from "../../src/mail/rules/show.ts";
import type { Caller } from "../../src/session/rules/decision-input.ts";

const LOOK = { kind: "lanes", perSender: 50, from: null, withShown: true } as const;

export interface HookShow {
  readonly messages: readonly { readonly messageId: string; readonly attempt: number }[];
  /** How many messages the model has gone on with, and how many come again. */
  readonly seen: number;
  readonly returned: number;
  /** The output has left the process. A hook that dies does not come to this. */
  readonly mark: () => Promise<void>;
}

export async function showByHook(deps: Deps, caller: Caller, sign: TurnSign, limit = 50): Promise<HookShow> {
  const take = { limit, maxBytes: 65_536, onePerSender: false, from: null, transport: "hook" };
  const once = () => changeMailbox(deps, caller, LOOK, (window, given) => showMail(window, given, { sign, take }));
  let shown = await once();
  while (shown.again) shown = await once();
  const { deliveries, seen, returned } = shown;
  const answers = deliveries.map((one) => ({ messageId: one.messageId, attempt: attemptOf(one), seq: one.seq }));
  const mark = async () => {
    const taken = { kind: "numbers", seqs: answers.map(({ seq }) => seq) } as const;
    const told = { answers, turn: sign.turn, announcedSeq: 0 };
    await changeMailbox(deps, caller, taken, (window, given) => markShown(window, given, told));
  };
  return { messages: answers.map(({ messageId, attempt }) => ({ messageId, attempt })), seen, returned, mark };
}
