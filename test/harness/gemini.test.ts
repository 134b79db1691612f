import { describeSupport } from "./support/describe-support.ts";
import { gemini } from "./support/drivers/gemini.ts";

describeSupport(gemini);
