//! The operator's data beside a running service: written on the command line, recalled over HTTP.

use std::{fs, path::Path};

use serde_json::{Value, json};

use super::on_each_database;
use crate::service::{Database, KEY, Service, call};

/// Runs `caller-memory caller` on the database; the exit code and what was printed.
fn caller(folder: &Path, database: &Database, args: &[&str]) -> (Option<i32>, Value, String) {
    let output = database
        .program(folder)
        .arg("caller")
        .args(args)
        .arg("--json")
        .output()
        .expect("the binary runs");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    let printed = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code(), printed, said)
}

#[test]
fn imported_callers_are_recalled_while_the_service_runs() {
    on_each_database(|database| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let service = Service::start(database, &[]);
        assert_eq!(service.end("s-1", "+12025550143").status, 204);
        let file = "phone_number,name,tags,custom_attributes\n\
            202-555-0142,Maren Okafor,vip; gold,\"{\"\"plan\"\": \"\"gold\"\"}\"\n\
            not a number,Nobody,,\n\
            +12025550143,Noor Haddad,,\n";
        fs::write(folder.path().join("callers.csv"), file).expect("written");
        let (code, summary, said) = caller(folder.path(), database, &["import", "callers.csv"]);
        assert_eq!(code, Some(1), "{said}");
        assert_eq!(
            (&summary["rows"], &summary["created"], &summary["updated"]),
            (&json!(3), &json!(1), &json!(1)),
            "{summary}"
        );
        assert_eq!(summary["refused"][0]["line"], 3);
        assert!(
            said.starts_with("line 3 refused: phone_number is not a phone number"),
            "{said}"
        );

        let first = service.recall(&json!({"phone_number": "+12025550142"}), &[]).body;
        assert_eq!(first["known"], json!(true), "an imported caller is known: {first}");
        assert_eq!(
            (
                &first["caller"]["name"],
                &first["caller"]["tags"],
                &first["caller"]["total_calls"]
            ),
            (&json!("Maren Okafor"), &json!(["vip", "gold"]), &json!(0))
        );
        assert_eq!(first["caller"]["custom_attributes"], json!({"plan": "gold"}));
        assert_eq!(first["caller"]["first_seen_ms"], first["caller"]["last_seen_ms"]);
        let second = service.recall(&json!({"phone_number": "+12025550143"}), &[]).body;
        assert_eq!(
            (&second["caller"]["name"], &second["caller"]["total_calls"]),
            (&json!("Noor Haddad"), &json!(1)),
            "{second}"
        );

        let args = ["set", "+12025550142", "--tag", "silver", "--attr", "seat=4"];
        let (code, set, said) = caller(folder.path(), database, &args);
        assert_eq!((code, said.as_str()), (Some(0), ""));
        assert_eq!(set["tags"], json!(["silver"]));
        let profile = service.get("+12025550142", KEY).body;
        assert_eq!(
            (&profile["name"], &profile["tags"], &profile["custom_attributes"]),
            (
                &json!("Maren Okafor"),
                &json!(["silver"]),
                &json!({"plan": "gold", "seat": "4"})
            )
        );

        let (code, shown, _) = caller(folder.path(), database, &["show", "+12025550143", "--transcripts"]);
        assert_eq!((code, &shown["name"]), (Some(0), &json!("Noor Haddad")));
        assert_eq!(shown["calls"][0]["outcome"], "callback_requested");
        assert_eq!(shown["calls"][0]["transcript"][0]["text"], "How can I help?");
        let (code, ..) = caller(folder.path(), database, &["show", "+12025550144"]);
        assert_eq!(code, Some(1));
        assert_eq!(service.get("+12025550144", KEY).status, 404, "showing creates nobody");
    });
}

#[test]
fn a_wish_not_to_be_called_survives_a_restart_until_an_operator_clears_it() {
    on_each_database(|database| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let do_not_call = |args: &[&str]| {
            let output = database.program(folder.path()).arg("do-not-call").args(args).output();
            let output = output.expect("the binary runs");
            let printed = String::from_utf8(output.stdout).expect("UTF-8");
            (output.status.code(), printed)
        };
        let recalled = |service: &Service| service.recall(&json!({"phone_number": "+12025550142"}), &[]).body;
        let mut service = Service::start(database, &[]);
        let mut wish = call("s-1", "+12025550142");
        wish["transcript"] = json!([{"role": "user", "text": "please stop calling me", "ts_ms": 0}]);
        let end = |service: &Service, wish: &Value| {
            let ended = service.try_post("/v1/calls/end", wish, &[]).expect("an answer");
            assert_eq!(ended.status, 204);
        };
        end(&service, &wish);
        let mark = recalled(&service)["do_not_call"].clone();
        assert_eq!(mark["quote"], "stop calling me");
        service.signal("TERM");
        service.wait();

        let service = Service::start(database, &[]);
        assert_eq!(recalled(&service)["do_not_call"], mark);
        let (code, listed) = do_not_call(&["list", "--json"]);
        let listed: Value = serde_json::from_str(&listed).expect("JSON");
        assert_eq!((code, &listed[0]["phone_number"]), (Some(0), &json!("+12025550142")));
        let (_, exported) = do_not_call(&["export"]);
        let lines: Vec<&str> = exported.lines().collect();
        assert!(
            lines[0] == "phone_number,at_ms,call_id,quote" && lines[1].starts_with("+12025550142,"),
            "{exported}"
        );
        assert_eq!(do_not_call(&["clear", "+12025550142"]).0, Some(0));
        assert_eq!(recalled(&service)["do_not_call"], Value::Null);
        assert_eq!(
            do_not_call(&["clear", "+12025550142"]).0,
            Some(1),
            "there is nothing left to clear"
        );
        assert_eq!(do_not_call(&["list", "--json"]).1.trim(), "[]");

        end(&service, &wish);
        assert_eq!(recalled(&service)["do_not_call"], Value::Null, "the same call again");
        wish["session_id"] = json!("s-2");
        end(&service, &wish);
        assert_eq!(
            recalled(&service)["do_not_call"]["quote"],
            "stop calling me",
            "a new one"
        );
        assert_eq!(do_not_call(&["set", "+12025550143"]).0, Some(0));
        let noted = service.get("+12025550143", KEY).body;
        assert_eq!(noted["do_not_call"]["quote"], Value::Null);
        assert!(noted["do_not_call"]["at_ms"].is_i64());
    });
}
