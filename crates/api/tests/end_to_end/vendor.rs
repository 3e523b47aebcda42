//! A vendor on loopback: counts what it is asked and answers as it is told.

use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

/// What a look-up of Twilio's answers for a consumer's mobile phone.
pub(crate) const TWILIO_HIT: &str = r#"{"calling_country_code":"1","country_code":"US","phone_number":"+12025550142",
"national_format":"(202) 555-0142","valid":true,"validation_errors":null,
"caller_name":{"caller_name":"OKAFOR MAREN","caller_type":"CONSUMER","error_code":null},
"line_type_intelligence":{"error_code":null,"mobile_country_code":"310","mobile_network_code":"010",
"carrier_name":"Northwind Wireless","type":"mobile"}}"#;

pub(crate) struct Vendor {
    pub(crate) url: String,
    asked: Arc<AtomicUsize>,
}

impl Vendor {
    /// A vendor that answers every request with `status` and `body` after `delay`.
    pub(crate) fn start(status: u16, body: &'static str, delay: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("its address"));
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&asked);
        // The thread ends with the test's process.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let counter = Arc::clone(&counter);
                std::thread::spawn(move || serve(stream, &counter, status, body, delay));
            }
        });
        Self { url, asked }
    }

    /// How many requests have come.
    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

fn serve(stream: TcpStream, counter: &AtomicUsize, status: u16, body: &str, delay: Duration) {
    let mut lines = BufReader::new(stream);
    loop {
        let mut line = String::new();
        let mut is_request = false;
        // A head ends with an empty line; a GET has no body.
        loop {
            line.clear();
            match lines.read_line(&mut line) {
                Ok(n) if n > 0 => {}
                _ => return,
            }
            if line == "\r\n" {
                break;
            }
            is_request = true;
        }
        if is_request {
            counter.fetch_add(1, Ordering::SeqCst);
        }
        std::thread::sleep(delay);
        let head = format!(
            "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let stream = lines.get_mut();
        if stream
            .write_all(head.as_bytes())
            .and_then(|()| stream.write_all(body.as_bytes()))
            .is_err()
        {
            return;
        }
    }
}
