//! The examples at the end of each command's help. A test parses them all.

use crate::storages::Storages;

/// What each does, and the command.
type Examples = &'static [(&'static str, &'static str)];

/// The examples of the command at this path, such as `key create`; the program itself has the empty path.
pub(super) fn of(path: &str) -> Option<Examples> {
    EXAMPLES.iter().find(|(of, _)| *of == path).map(|(_, lines)| *lines)
}

/// What a help shows after its options, without the examples for a database that the program has no driver for.
pub(super) fn text(examples: &[(&str, &str)], storages: &Storages) -> String {
    let has_driver = |line: &str| {
        let url = line.split_once("--database-url ").map(|(_, url)| url);
        url.is_none_or(|url| storages.has_driver_for(url))
    };
    let examples: Vec<_> = examples.iter().filter(|(_, line)| has_driver(line)).collect();
    let heading = if examples.len() == 1 { "Example:" } else { "Examples:" };
    let lines = examples
        .iter()
        .flat_map(|(what, line)| [format!("  # {what}"), format!("  {line}")]);
    let lines: Vec<_> = std::iter::once(heading.to_owned()).chain(lines).collect();
    lines.join("\n")
}

const EXAMPLES: [(&str, Examples); 39] = [
    (
        "",
        &[
            (
                "Serve on 127.0.0.1:8080, with the database in data/; Ctrl-C stops it",
                "caller-memory",
            ),
            ("Show every setting", "caller-memory serve --help"),
            (
                "Show what an agent would be told of a caller",
                "caller-memory recall '+1 202 555 0142' --key sk_live_...",
            ),
        ],
    ),
    (
        "serve",
        &[
            (
                "Over PostgreSQL",
                "caller-memory serve --database-url postgres://me:secret@db.example.com/memory",
            ),
            (
                "On all interfaces, with half a second for a recall",
                "caller-memory serve --listen 0.0.0.0:8080 --recall-deadline-ms 500",
            ),
        ],
    ),
    (
        "migrate",
        &[("Show which migrations are applied", "caller-memory migrate status")],
    ),
    (
        "migrate up",
        &[("Before a new release starts", "caller-memory migrate up")],
    ),
    (
        "migrate down",
        &[(
            "Undo the newest migration, which loses what only it can hold",
            "caller-memory migrate down --steps 1",
        )],
    ),
    (
        "migrate status",
        &[("For a script", "caller-memory migrate status --json")],
    ),
    (
        "tenant",
        &[
            (
                "A tenant for British numbers",
                "caller-memory tenant create acme --default-region GB",
            ),
            (
                "Let it send 20 requests a second",
                "caller-memory tenant set acme --rate-per-second 20",
            ),
        ],
    ),
    (
        "tenant create",
        &[(
            "A tenant for British numbers, with a rate of its own",
            "caller-memory tenant create acme --default-region GB --rate-per-second 20",
        )],
    ),
    ("tenant list", &[("For a script", "caller-memory tenant list --json")]),
    (
        "tenant set",
        &[
            (
                "Change its region and its rate",
                "caller-memory tenant set acme --default-region IE --rate-per-second 20",
            ),
            (
                "Count its days in New York",
                "caller-memory tenant set acme --time-zone America/New_York",
            ),
            (
                "Cap what its look-ups cost",
                "caller-memory tenant set acme --daily-lookups 500 --daily-spend-usd 4.00",
            ),
            (
                "Show nobody what may be another person's",
                "caller-memory tenant set acme --identity strict",
            ),
            (
                "Return to the service's burst, and lift a cap",
                "caller-memory tenant set acme --rate-burst default --daily-lookups none",
            ),
        ],
    ),
    (
        "key",
        &[
            (
                "A key for the tenant `default` with all scopes",
                "caller-memory key create",
            ),
            ("The keys of another tenant", "caller-memory key list --tenant acme"),
        ],
    ),
    (
        "key create",
        &[
            (
                "A key for a bridge",
                "caller-memory key create --scope recall --scope calls:write --label vapi",
            ),
            (
                "A key of another tenant that ends by itself",
                "caller-memory key create --tenant acme --expires-in 90d",
            ),
        ],
    ),
    (
        "key list",
        &[("The keys of a tenant", "caller-memory key list --tenant acme")],
    ),
    (
        "key revoke",
        &[(
            "The id is in `caller-memory key list`",
            "caller-memory key revoke 019ab001-2c00-7000-8000-000000000001",
        )],
    ),
    (
        "key rotate",
        &[(
            "Let the old key work for two more days",
            "caller-memory key rotate 019ab001-2c00-7000-8000-000000000001 --grace 48h",
        )],
    ),
    (
        "caller",
        &[
            (
                "Names and tags from your own records",
                "caller-memory caller import callers.csv",
            ),
            (
                "One caller with the latest calls",
                "caller-memory caller show +12025550142",
            ),
        ],
    ),
    (
        "caller import",
        &[(
            "A file with the header phone_number,name,tags",
            "caller-memory caller import callers.csv --tenant acme",
        )],
    ),
    (
        "caller set",
        &[
            (
                "A name and a tag",
                "caller-memory caller set +12025550142 --name 'Maren Okafor' --tag vip",
            ),
            (
                "One attribute; all else stays as it is",
                "caller-memory caller set +12025550142 --attr plan=gold",
            ),
        ],
    ),
    (
        "caller fact",
        &[
            (
                "The city, whatever was heard",
                "caller-memory caller fact set +12025550142 city Leeds",
            ),
            (
                "A name that was misheard",
                "caller-memory caller fact drop +12025550142 name",
            ),
        ],
    ),
    (
        "caller fact set",
        &[
            (
                "The city, whatever was heard",
                "caller-memory caller fact set +12025550142 city Leeds",
            ),
            (
                "An order that was placed elsewhere",
                "caller-memory caller fact set +12025550142 order lamp --when 2026-03-08",
            ),
        ],
    ),
    (
        "caller fact drop",
        &[
            (
                "Everything that was heard of the city",
                "caller-memory caller fact drop +12025550142 city",
            ),
            (
                "One order of several",
                "caller-memory caller fact drop +12025550142 order 'two lamps'",
            ),
        ],
    ),
    (
        "caller show",
        &[(
            "With what was said",
            "caller-memory caller show +12025550142 --transcripts",
        )],
    ),
    (
        "usage",
        &[(
            "What a tenant bought this month",
            "caller-memory usage --tenant acme --since 2026-11-01",
        )],
    ),
    (
        "calls",
        &[("Calls that were never written back", "caller-memory calls open")],
    ),
    (
        "calls open",
        &[(
            "Of one tenant, begun more than half an hour ago",
            "caller-memory calls open --tenant acme --older-than 30m",
        )],
    ),
    (
        "do-not-call",
        &[(
            "Callers who do not want to be called",
            "caller-memory do-not-call list --tenant acme",
        )],
    ),
    (
        "do-not-call list",
        &[(
            "Callers who do not want to be called",
            "caller-memory do-not-call list --tenant acme",
        )],
    ),
    (
        "do-not-call export",
        &[("A file for a dialler", "caller-memory do-not-call export --tenant acme")],
    ),
    (
        "do-not-call set",
        &[(
            "A caller who asked for it in writing",
            "caller-memory do-not-call set +12025550142 --tenant acme",
        )],
    ),
    (
        "do-not-call clear",
        &[(
            "A caller who wants to be called after all",
            "caller-memory do-not-call clear +12025550142 --tenant acme",
        )],
    ),
    (
        "memory",
        &[("Every call as the present rules read it", "caller-memory memory reread")],
    ),
    (
        "memory reread",
        &[
            ("Every call as the present rules read it", "caller-memory memory reread"),
            (
                "Of one tenant, for example after its time zone was set",
                "caller-memory memory reread --tenant acme",
            ),
        ],
    ),
    (
        "receipt",
        &[("Outcomes of the last week", "caller-memory receipt stats --days 7")],
    ),
    (
        "receipt show",
        &[(
            "By an answer's context_audit_id",
            "caller-memory receipt show 019ab001-2c00-7000-8000-000000000001",
        )],
    ),
    (
        "receipt stats",
        &[(
            "Of one tenant, over the last week",
            "caller-memory receipt stats --tenant acme --days 7",
        )],
    ),
    ("openapi", &[("Save it with `> openapi.json`", "caller-memory openapi")]),
    (
        "recall",
        &[(
            "From a service elsewhere; CALLER_MEMORY_URL and CALLER_MEMORY_KEY do the same",
            "caller-memory recall +12025550142 --url https://example.com --key sk_live_...",
        )],
    ),
    (
        "replay",
        &[(
            "The sample calls of the repository",
            "caller-memory replay docs/sample-calls.jsonl --key sk_live_...",
        )],
    ),
    (
        "doctor",
        &[
            ("With the settings of the environment and .env", "caller-memory doctor"),
            (
                "With another database",
                "caller-memory doctor --database-url sqlite:///var/lib/memory.db",
            ),
        ],
    ),
];
