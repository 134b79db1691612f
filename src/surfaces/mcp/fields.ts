/** Input fields that several tools share. Descriptions are short: every client pays for them in every session. */
import * as z from "zod";

/** Left out: the room of the client's project directory. */
export const roomId = z.string().optional();

export const turn = {
  lease_id: z.string(),
  expected_turn_id: z.number().int(),
};

const artifact = z.union([
  z.string(),
  z.object({
    path: z.string(),
    lines: z.array(z.number()).length(2).optional(),
    role: z.enum(["examine", "review", "edit", "context", "output"]).optional(),
    note: z.string().optional(),
  }),
]);

/** Only its shape is checked here; what it must say is the service's rule, whose refusal shows the template. */
export const handoff = z.object({
  status: z.string().describe("what is true now"),
  next_action: z.string().describe("what comes next"),
  artifacts: z.array(artifact).optional(),
  open_questions: z.array(z.string()).optional(),
  do_not: z.array(z.string()).optional(),
});
