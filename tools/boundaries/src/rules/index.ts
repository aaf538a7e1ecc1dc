import type { Breach } from "../breach.ts";
import type { Repository } from "../repository.ts";
import { findFileCycles, findWorkspaceCycles } from "./cycles.ts";
import { findUndeclaredImports, findUnusedDependencies } from "./dependencies.ts";
import { findDeepImports, findDevelopmentImports, findEscapes, findWrongDirections } from "./direction.ts";
import { findEnvironmentReaders } from "./environment.ts";
import { findLargeFiles, findMachineTraces, findSyntaxErrors, findTrackedGenerated } from "./file-contents.ts";
import { findOddNames, findVagueNames } from "./file-names.ts";
import { findUnguardedEgress } from "./guarded-egress.ts";
import { findUnguardedListeners } from "./guarded-listeners.ts";
import { findEffectsInDomains, findImpureDomains, findPrismaOutsideStore, findWrongLayers } from "./layers.ts";
import { findOddLogFields } from "./log-fields.ts";
import { findOtherWriters } from "./one-writer.ts";
import { findUnusedExports } from "./used-exports.ts";

type Rule = (repository: Repository) => Iterable<Breach>;

/** Rules by the name under which they are reported. */
export const rules: Readonly<Record<string, Rule>> = {
  parses: findSyntaxErrors,
  "workspace-direction": findWrongDirections,
  "entry-points-only": findDeepImports,
  "stays-inside": findEscapes,
  "no-development-imports": findDevelopmentImports,
  "declared-dependency": findUndeclaredImports,
  "used-dependency": findUnusedDependencies,
  "no-workspace-cycle": findWorkspaceCycles,
  "no-file-cycle": findFileCycles,
  "service-layers": findWrongLayers,
  "pure-domain": findImpureDomains,
  "domain-without-effects": findEffectsInDomains,
  "prisma-in-store": findPrismaOutsideStore,
  "environment-in-config": findEnvironmentReaders,
  "guarded-egress": findUnguardedEgress,
  "guarded-listeners": findUnguardedListeners,
  "one-writer": findOtherWriters,
  "log-fields": findOddLogFields,
  "used-exports": findUnusedExports,
  "kebab-case": findOddNames,
  "telling-name": findVagueNames,
  "generated-untracked": findTrackedGenerated,
  "file-size": findLargeFiles,
  "no-machine-traces": findMachineTraces,
};
