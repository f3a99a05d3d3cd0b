import type { Step } from "./step.ts";
import { decisions } from "./steps/decisions.ts";
import { delivery } from "./steps/delivery.ts";
import { isolation } from "./steps/isolation.ts";
import { jobs } from "./steps/jobs.ts";
import { repository } from "./steps/repository.ts";
import { resume } from "./steps/resume.ts";
import { screen } from "./steps/screen.ts";

/** The steps in the order they are shown (docs/spec/cli.md section 4). */
export const STEPS: readonly Step[] = [repository, decisions, delivery, jobs, screen, isolation, resume];
