//! Names in statements, quoted as the engine wants them.

use crate::engine::Engine;

/// Quotes a name, so that no name can end its own quotation.
#[must_use]
pub fn name(engine: Engine, name: &str) -> String {
    match engine {
        Engine::Postgresql => format!("\"{}\"", name.replace('"', "\"\"")),
        Engine::Mariadb | Engine::Mysql => format!("`{}`", name.replace('`', "``")),
    }
}

/// Quotes a name with its schema.
pub(crate) fn qualified(engine: Engine, schema: &str, object: &str) -> String {
    format!("{}.{}", name(engine, schema), name(engine, object))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_end_its_quotation() {
        assert_eq!(name(Engine::Postgresql, "a\"b"), "\"a\"\"b\"");
        assert_eq!(qualified(Engine::Mysql, "s", "a`b"), "`s`.`a``b`");
    }
}
