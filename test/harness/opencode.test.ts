import { describeSupport } from "./support/describe-support.ts";
import { opencode } from "./support/drivers/opencode.ts";

describeSupport(opencode);
