//! Internet addresses as logs write them.

use std::net::IpAddr;

/// Reads an address. Unlike the door, which takes only the one spelling, it also takes an IPv4
/// address whose numbers have zeros in front (`10.020.0.7`), as some logs and tools write them; the
/// numbers are decimal.
pub fn parse_address(text: &str) -> Option<IpAddr> {
    if let Ok(address) = text.parse() {
        return Some(address);
    }
    let numbers: Vec<u8> = text
        .split('.')
        .map(|n| {
            n.parse()
                .ok()
                .filter(|_| n.len() <= 3 && n.bytes().all(|b| b.is_ascii_digit()))
        })
        .collect::<Option<_>>()?;
    <[u8; 4]>::try_from(numbers).ok().map(IpAddr::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_in_front_are_decimal() {
        for (text, expect) in [
            ("10.0.0.1", Some("10.0.0.1")),
            ("253.252.51.07", Some("253.252.51.7")),
            ("035.249.253.232", Some("35.249.253.232")),
            ("2001:DB8::0:1", Some("2001:db8::1")),
            ("1.2.3", None),
            ("1.2.3.4.5", None),
            ("1.2.3.256", None),
            ("1.2.3.+4", None),
            ("1.2.3.0004", None),
            ("ec2.amazonaws.com", None),
        ] {
            assert_eq!(
                parse_address(text).map(|a| a.to_string()).as_deref(),
                expect,
                "{text}"
            );
        }
    }
}
