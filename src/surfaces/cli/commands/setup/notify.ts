/** `tt notify test`: shows one notification, as the settings say. */
import { isRefusal, refuse } from "../../../../core/refusal.ts";
import { wrap } from "../../../words/wrap.ts";
import type { Command } from "../../command.ts";
import { EXIT } from "../../exit-codes.ts";
import { UsageError } from "../../usage-error.ts";

const OFF = refuse(
  "invalid_input",
  "Notifications are off.",
  'To switch them on, write {"notify": "desktop"} into ~/.config/tt/config.json.',
  { field: "notify" },
);

export const notify: Command = {
  name: "notify",
  roomless: true,
  summary: "try the notifications that you have set up",
  details: [
    'With "notify": "desktop" in ~/.config/tt/config.json, you are notified when an agent waits for your answer, when the holder is gone or silent while others wait, and when an agent writes without the stick. A list of words in its place is a command, which gets the event as JSON. They are off by default.',
    "Nothing runs in the background: while no agent works or waits, nobody notices.",
  ],
  example: "tt notify test",
  positionals: [{ name: "test", required: true, literal: true }],
  async run(context, args) {
    if (args.required("test") !== "test") throw new UsageError("tt notify knows test.", "For example: tt notify test");
    const tried = await context.ports.tryNotification();
    if (isRefusal(tried) || tried.isOff) return context.refuse(isRefusal(tried) ? tried : OFF);
    const { program, problem } = tried;
    await context.answer({ shown: problem === null, program, problem }, () =>
      wrap(problem === null ? `${program} has shown a notification.` : `No notification: ${problem}.`, context.columns),
    );
    return problem === null ? EXIT.done : EXIT.fault;
  },
};
