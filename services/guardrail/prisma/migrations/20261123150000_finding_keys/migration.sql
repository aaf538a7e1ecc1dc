-- The key begins with the project, as each statement on findings does, those of the earlier version too.
ALTER TABLE "findings" DROP CONSTRAINT "findings_pkey",
  ADD CONSTRAINT "findings_pkey" PRIMARY KEY ("project_uuid", "id");

DROP INDEX "findings_project_uuid_id_idx";
