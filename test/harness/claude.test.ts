import { describeSupport } from "./support/describe-support.ts";
import { claude } from "./support/drivers/claude.ts";

describeSupport(claude);
