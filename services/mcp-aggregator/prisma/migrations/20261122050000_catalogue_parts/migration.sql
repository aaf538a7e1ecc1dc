-- A large catalogue in one row is one value of many mebibytes, which holds the event loop while it is encoded; its tools are kept in
-- parts instead.
-- CreateTable
CREATE TABLE "catalogue_parts" (
    "upstream_id" INTEGER NOT NULL,
    "part" INTEGER NOT NULL,
    "tools_json" TEXT NOT NULL,

    CONSTRAINT "catalogue_parts_pkey" PRIMARY KEY ("upstream_id","part")
);

-- AddForeignKey
ALTER TABLE "catalogue_parts" ADD CONSTRAINT "catalogue_parts_upstream_id_fkey" FOREIGN KEY ("upstream_id") REFERENCES "catalogues"("upstream_id") ON DELETE CASCADE ON UPDATE CASCADE;

INSERT INTO "catalogue_parts" ("upstream_id", "part", "tools_json")
SELECT "upstream_id", 0, "tools_json" FROM "catalogues";

-- AlterTable
ALTER TABLE "catalogues" DROP COLUMN "tools_json";
