/** Input fields that several tools share. Descriptions are short: every client pays for them in every session. */
import * as z from "zod";

/** Left out: the room of the client's project directory. */
export const roomId = z.string().optional();

/**
 * Shown to clients in this shape and handed to the service as it came: the service has the rules, so a refusal is the
 * same one through every door, names the field, and nothing is left out on the way.
 */
export function judgedByService(shape: z.ZodType): z.ZodUnknown {
  return z.unknown().meta({ [SHOWN_AS]: shape });
}

/** Under which key the shape of a field is found that is shown in another one than it is taken. */
export const SHOWN_AS = "shownAs";
