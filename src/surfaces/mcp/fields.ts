/** Input fields that several tools share. Descriptions are short: every client pays for them in every session. */
import * as z from "zod";

/** Left out: the room of the client's project directory. */
export const roomId = z.string().optional();

export const turn = {
  lease_id: z.string(),
  expected_turn_id: z.number().int(),
};

/**
 * Shown to clients in this shape and handed to the service as it came: the service has the rules, so a refusal is the
 * same one through every door, names the field, and nothing is left out on the way.
 */
export function judgedByService(shape: z.ZodType): z.ZodUnknown {
  return z.unknown().meta({ [SHOWN_AS]: shape });
}

/** Under which key the shape of a field is found that is shown in another one than it is taken. */
export const SHOWN_AS = "shownAs";

const artifact = z.union([
  z.string(),
  z.object({
    path: z.string(),
    lines: z.array(z.number()).length(2).optional(),
    role: z.enum(["examine", "review", "edit", "context", "output"]).optional(),
    note: z.string().optional(),
  }),
]);

export const handoff = judgedByService(
  z.object({
    status: z.string().describe("what is true now"),
    next_action: z.string().describe("what comes next"),
    artifacts: z.array(artifact).optional(),
    open_questions: z.array(z.string()).optional(),
    do_not: z.array(z.string()).optional(),
  }),
);
