import { byCodePoint } from "../../kernel/text/code-point-order.ts";
import type { Ratified } from "./ratified.ts";

type Found = Ratified["lessons"][number];

/**
 * The lessons for a phase and the paths it touches: those about the most of the paths first, then those about the phase
 * alone; of equals the one whose path comes first (docs/spec/craft-run.md 7.4).
 */
export function selectLessons(
  lessons: readonly Found[],
  phase: string,
  paths: readonly string[],
  most: number,
): Found[] {
  return lessons
    .flatMap((lesson) => {
      if (lesson.phases !== undefined && !lesson.phases.includes(phase)) return [];
      const matched = lesson.subjects === undefined ? 0 : paths.filter(lesson.subjects.matches).length;
      return lesson.subjects !== undefined && matched === 0 ? [] : [{ lesson, matched }];
    })
    .toSorted((a, b) => b.matched - a.matched || byCodePoint(a.lesson.path, b.lesson.path))
    .slice(0, most)
    .map(({ lesson }) => lesson);
}
