/** `tt why`: who waits for what, and what ends it. */
import { roomPicture } from "../../../peers/room-picture.ts";
import { namedFor, stepWords } from "../../picture/why-words.ts";
import { wrap, wrapWhole } from "../../words/wrap.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { granted } from "../granted.ts";
import { roomOf } from "../room-of.ts";
import { whyAnswer, withShortIds } from "../why-answer.ts";

export const why: Command = {
  name: "why",
  summary: "why nobody moves: who waits for what, and the command that ends it",
  details: [
    "Looks at the stick, reservations, questions, prompts of harnesses, dead processes and pauses. It reads and changes",
    "nothing. The command is one that you can run: it differs for a person, the holder and a waiter.",
  ],
  example: "tt why",
  positionals: [{ name: "path" }],
  async run(context) {
    const room = granted(await roomOf(context));
    const deps = granted(await context.deps());
    const caller = await context.caller();
    if (caller) context.isAbout({ deps, caller, memory: context.ports.memory(), room, reads: true });
    const picture = namedFor(granted(await roomPicture(deps, caller, room.id)), context.names);
    const answer = whyAnswer(picture, context.tt, deps.clock.now().wallMs);
    const { step } = picture.why;
    await context.answer(answer, ({ sentence, command }) =>
      [
        wrap(sentence, context.columns),
        ...(step && command
          ? [
              wrapWhole(
                `${stepWords(step, picture)}: ${withShortIds(command, picture, context.names)}`,
                context.columns,
                "  ",
              ),
            ]
          : []),
      ].join("\n"),
    );
    return EXIT.done;
  },
};
