//! The OpenAPI document, made of the routes that are mounted and of the types that go over the wire.

mod document;
mod examples;
pub(crate) mod parts;

pub use document::document;
pub(crate) use document::text;
