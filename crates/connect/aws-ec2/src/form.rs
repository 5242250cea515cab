//! Parameters of a call in the query protocol, as a form. Names come from the code, values from
//! anywhere: neither can leave its place. Lists are numbered from one (`InstanceId.1`), as EC2 has
//! them.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Parameters in their order, encoded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Form(String);

impl Form {
    /// Returns a form without parameters.
    #[must_use]
    pub fn new() -> Self {
        Form::default()
    }

    /// Adds a parameter; its value is encoded.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl AsRef<str>) -> Self {
        let joint = if self.0.is_empty() { "" } else { "&" };
        // Writing to a text cannot fail.
        _ = write!(
            self.0,
            "{joint}{}={}",
            escaped(name),
            escaped(value.as_ref())
        );

        self
    }

    /// Adds a parameter that has a value.
    #[must_use]
    pub fn with_some(self, name: &str, value: Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.with(name, value.to_string()),
            None => self,
        }
    }

    /// Adds the parameters of another form.
    #[must_use]
    pub fn with_all(mut self, other: Form) -> Self {
        if !self.0.is_empty() && !other.0.is_empty() {
            self.0.push('&');
        }
        self.0 += &other.0;
        self
    }

    /// Adds a list of values: `name.1`, `name.2`.
    #[must_use]
    pub fn with_list(self, name: &str, values: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let numbered = (1..).zip(values);
        numbered.fold(self, |form, (number, value): (usize, _)| {
            form.with(&format!("{name}.{number}"), value)
        })
    }

    /// Adds the first filter: `Filter.1.Name`, `Filter.1.Value.1`.
    #[must_use]
    pub fn with_filter(
        self,
        name: &str,
        values: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Self {
        self.with("Filter.1.Name", name)
            .with_list("Filter.1.Value", values)
    }

    /// Adds tags: `prefix.1.Key`, `prefix.1.Value`.
    #[must_use]
    pub fn with_tags(self, prefix: &str, tags: &[(&str, &str)]) -> Self {
        (1..)
            .zip(tags)
            .fold(self, |form, (number, (key, value)): (usize, _)| {
                form.with(&format!("{prefix}.{number}.Key"), key)
                    .with(&format!("{prefix}.{number}.Value"), value)
            })
    }

    /// Adds the tags that a new resource is made with.
    #[must_use]
    pub fn with_tags_of_new(self, resource_type: &str, tags: &[(&str, &str)]) -> Self {
        self.with("TagSpecification.1.ResourceType", resource_type)
            .with_tags("TagSpecification.1.Tag", tags)
    }

    /// Returns the form as the body of a request, or as the query of an address.
    #[must_use]
    pub fn into_text(self) -> String {
        self.0
    }
}

impl<'p> FromIterator<(&'p str, &'p str)> for Form {
    fn from_iter<I: IntoIterator<Item = (&'p str, &'p str)>>(parameters: I) -> Self {
        parameters
            .into_iter()
            .fold(Form::new(), |form, (name, value)| form.with(name, value))
    }
}

/// Percent-encodes text as a part of a path or query.
#[must_use]
pub fn escaped(text: &str) -> Cow<'_, str> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    if text.bytes().all(plain) {
        return Cow::Borrowed(text);
    }

    let one = |byte: u8| {
        if plain(byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };

    Cow::Owned(text.bytes().map(one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_parameters_are_numbered() {
        let form = Form::new()
            .with_list("InstanceId", ["i-1", "i-2"])
            .with_filter("group-name", ["a", "b"])
            .with_some("Size", Some(8))
            .with_some("Iops", None::<u32>)
            .with_tags_of_new("snapshot", &[("Name", "x"), ("reeve:volume", "vol-1")]);
        assert_eq!(
            form.into_text(),
            "InstanceId.1=i-1&InstanceId.2=i-2&Filter.1.Name=group-name&Filter.1.Value.1=a&Filter.1.Value.2=b&Size=8\
             &TagSpecification.1.ResourceType=snapshot&TagSpecification.1.Tag.1.Key=Name\
             &TagSpecification.1.Tag.1.Value=x&TagSpecification.1.Tag.2.Key=reeve%3Avolume\
             &TagSpecification.1.Tag.2.Value=vol-1"
        );
    }

    #[test]
    fn a_value_cannot_leave_its_place() {
        for (value, encoded) in [
            (
                "a&Action=TerminateInstances",
                "a%26Action%3DTerminateInstances",
            ),
            ("x=y;z", "x%3Dy%3Bz"),
            ("a b+c%20", "a%20b%2Bc%2520"),
            ("é\r\n\0", "%C3%A9%0D%0A%00"),
            ("", ""),
        ] {
            let form = Form::new()
                .with_list("InstanceId", [value])
                .with_tags("Tag", &[(value, value)]);
            let expect =
                format!("InstanceId.1={encoded}&Tag.1.Key={encoded}&Tag.1.Value={encoded}");
            assert_eq!(form.into_text(), expect, "{value:?}");
        }
    }
}
