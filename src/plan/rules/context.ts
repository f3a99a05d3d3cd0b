import type { Definition } from "../read/definitions.ts";
import type { PlanDocument } from "../read/document.ts";
import type { Questions } from "../read/questions.ts";
import type { Generation, Stage } from "../terms.ts";
import type { Milder, RuleId } from "./catalog.ts";

/** What a rule may look at. Rules are functions of it that report; none of them reads a file. */
export interface Context<Document extends PlanDocument = PlanDocument> {
  document: Document;
  /** File name without its directory and extension. */
  base: string;
  stage: Stage;
  generation: Generation;
  /** The stage that the caller demands. */
  demanded: "auto" | "requirements" | "planned";
  producer: string | undefined;
  /** The caller split a broader request, so the work-relationships section is required. */
  split: boolean;
  /** Name of a sibling with the same base name and the other extension. */
  sibling: string | undefined;
  /** Absolute path of the repository, when the file is in one. */
  repository: string | undefined;
  definitions: readonly Definition[];
  /** The definitions that count, in their owning sections. */
  owned: readonly Definition[];
  questions: Questions;
  /** Add a finding. The severity is the rule's own unless the milder form it declares is meant. */
  report<Id extends RuleId>(rule: Id, line: number, message: string, milder?: Milder<Id>): void;
}
