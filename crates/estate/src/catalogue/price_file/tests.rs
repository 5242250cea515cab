//! Price files: what they say is in force, and what is wrong with them is said with line and field.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use super::*;
use crate::catalogue::{PriceCatalogue, PriceFiles};

fn head(kind: &str) -> String {
    format!("# provider: aws\n# kind: {kind}\n# source: AWS price list\n# date: 2026-11-01\n")
}

fn parse(kind: &str, rows: &str) -> Result<PriceFile, PriceFileError> {
    PriceFile::parse((head(kind) + rows).as_bytes())
}

/// The built-in catalogue with files.
fn catalogue(files: impl IntoIterator<Item = PriceFile>) -> PriceCatalogue {
    let catalogue = PriceCatalogue::builtin().clone();
    let files: PriceFiles = files
        .into_iter()
        .map(|file| ((file.provider, file.kind), Arc::new(file)))
        .collect();
    catalogue.set_imported(files);
    catalogue
}

#[test]
fn an_imported_price_goes_first_and_what_is_missing_stays() {
    let rows = "region,name,linux/on_demand,linux/standard_1y,linux/convertible_1y,linux/spot,windows/on_demand\n\
                us-east-1,m5.large,0.09,0.05,0.06,0.02,\n\
                moon-east-1,m5.large,0.2,,,,0.3\n";
    let c = catalogue([parse("machines", rows).unwrap()]);
    let price = |region, name, platform| c.hourly_usd(Provider::Aws, region, name, platform);
    let own = price("us-east-1", "m5.large", None).unwrap();
    assert_eq!(
        (own.usd_per_hour, own.origin.to_string().as_str()),
        (0.09, "AWS price list of 2026-11-01")
    );
    assert_eq!(
        price("us-east-1", "m5.large", Some("windows"))
            .unwrap()
            .usd_per_hour,
        0.188,
        "not in the file"
    );

    assert_eq!(
        price("us-east-1", "m5.xlarge", None),
        PriceCatalogue::builtin().hourly_usd(Provider::Aws, "us-east-1", "m5.xlarge", None)
    );
    assert_eq!(
        price("moon-east-1", "m5.large", Some("windows"))
            .unwrap()
            .usd_per_hour,
        0.3,
        "a region of the file alone"
    );

    assert_eq!(
        c.spot_average(Provider::Aws, "us-east-1", "m5.large", None)
            .unwrap()
            .usd_per_hour,
        0.02
    );

    let discount = |region| {
        c.reservation_discount(Provider::Aws, region, "m5.large", None)
            .unwrap()
    };
    assert!((discount("us-east-1").share - (1.0 - 0.06 / 0.09)).abs() < 1e-9);

    assert!(
        discount("us-east-1")
            .wording
            .contains("AWS price list of 2026-11-01"),
        "{:?}",
        discount("us-east-1")
    );

    assert!(
        discount("moon-east-1").assumed,
        "an on-demand price without a rate of the same list is no discount"
    );

    let family = c
        .family_discount(Provider::Aws, "us-east-1", "m5.large", None)
        .unwrap();
    assert!((family - (1.0 - 0.05 / 0.09)).abs() < 1e-9);
    assert_eq!(
        PriceCatalogue::builtin().hourly_usd(Provider::Aws, "moon-east-1", "m5.large", None),
        None,
        "its own value"
    );
    c.set_imported(PriceFiles::new());
    assert_eq!(
        price("us-east-1", "m5.large", None).unwrap().usd_per_hour,
        0.096,
        "removed"
    );
}

#[test]
fn databases_and_other_clouds_have_prices_of_files() {
    let databases = parse(
        "databases",
        "region,name,mysql/on_demand\nus-east-1,db.m5.large,0.15\n",
    )
    .unwrap();
    let azure = "# provider: azure\n# kind: machines\n# source: Azure price list\n# date: 2026-10\nregion,name,windows/on_demand\n\
                 westeurope,Standard_D4s_v5,0.41\n";
    let c = catalogue([databases, PriceFile::parse(azure.as_bytes()).unwrap()]);
    let usd = |engine, multi_az| {
        c.aws_database("us-east-1", "db.m5.large", engine, multi_az, None)
            .map(|p| p.usd_per_hour)
    };

    assert_eq!(
        (
            usd("mysql", false),
            usd("mysql", true),
            usd("postgres", false)
        ),
        (Some(0.15), Some(0.3), Some(0.178))
    );

    let windows = c
        .hourly_usd(
            Provider::Azure,
            "westeurope",
            "Standard_D4s_v5",
            Some("windows"),
        )
        .unwrap();
    assert_eq!(windows.origin.to_string(), "Azure price list of 2026-10");

    let linux = c
        .hourly_usd(Provider::Azure, "westeurope", "Standard_D4s_v5", None)
        .unwrap();
    assert_eq!(linux.usd_per_hour, 0.23, "the file has no prices of Linux");
}

#[test]
fn units_are_of_a_region_and_a_part_is_not_taken_for_the_whole() {
    let rows = "region,name,unit,from,usd\n\
                eu-west-1,gp3,gib_month,0,0.088\n\
                eu-west-1,gp3,iops_month,3000,0.0055\n\
                eu-west-1,gp3,mibps_month,125,0.044\n\
                eu-west-1,io1,gib_month,0,0.138\n\
                eu-west-1,snapshot,gib_month,0,0.05\n";
    let c = catalogue([parse("units", rows).unwrap()]);

    let month =
        |region, name, iops, rate| c.volume_monthly(Provider::Aws, region, name, 100.0, iops, rate);
    let gp3 = month("eu-west-1", "gp3", Some(4_000), Some(225)).unwrap();
    assert_eq!(gp3.cost, crate::Money::from_usd(8.8 + 5.5 + 4.4));
    assert_eq!(gp3.origins.len(), 1);
    assert_eq!(
        month("eu-west-1", "io1", Some(1_000), None),
        None,
        "its operations have no price here"
    );
    assert_eq!(month("eu-west-1", "gp2", None, None), None);
    assert_eq!(
        month("us-east-1", "gp3", None, None).unwrap().cost,
        crate::Money::from_usd(8.0)
    );
    assert_eq!(
        c.snapshot_monthly(Provider::Aws, "eu-west-1", 10.0)
            .unwrap()
            .cost,
        crate::Money::from_usd(0.5)
    );
}

#[test]
fn a_file_may_be_compressed_unsorted_and_written_by_windows() {
    let rows = "region,name,linux/on_demand\r\nus-east-1,m5.xlarge,0.19\r\n\r\nus-east-1,m5.large,0.09\r\n";
    let text = format!("\u{feff}{}{rows}", head("machines").replace('\n', "\r\n"));
    let file = PriceFile::parse(&zstd::encode_all(text.as_bytes(), 3).unwrap()).unwrap();
    assert_eq!((file.prices, file.regions), (2, 1));
    assert_eq!(
        file.hourly("us-east-1", "m5.large", "linux/on_demand"),
        Some(0.09)
    );
    assert_eq!(
        PriceFile::parse(file.text.as_bytes()).unwrap().prices,
        2,
        "what is stored reads again"
    );
}

#[test]
fn the_embedded_tables_are_files_with_a_head() {
    for (kind, table) in [
        (
            "machines",
            &include_bytes!("../../../data/aws_machine_prices.csv.zst")[..],
        ),
        (
            "databases",
            &include_bytes!("../../../data/aws_database_prices.csv.zst")[..],
        ),
    ] {
        let text = String::from_utf8(zstd::decode_all(table).unwrap()).unwrap();
        let file = parse(kind, &text).unwrap();
        let tables = PriceCatalogue::builtin().price_tables();
        let bundled = tables
            .iter()
            .find(|t| t.kind == file.kind && t.origin.date == "2025-05-28")
            .unwrap();
        assert_eq!(
            (file.regions, file.prices),
            (bundled.regions, bundled.prices),
            "{kind}"
        );
    }
}

#[test]
fn tables_are_listed_in_the_order_in_which_they_are_asked() {
    let c = catalogue([parse(
        "machines",
        "region,name,linux/on_demand\nus-east-1,m5.large,0.09\n",
    )
    .unwrap()]);
    let tables = c.price_tables();
    let aws: Vec<_> = tables
        .iter()
        .filter(|t| t.provider == Provider::Aws && t.kind == PriceKind::Machines)
        .collect();
    let dates: Vec<_> = aws.iter().map(|t| (t.imported, &*t.origin.date)).collect();
    assert_eq!(
        dates,
        [
            (true, "2026-11-01"),
            (false, "2026-07"),
            (false, "2025-05-28")
        ]
    );

    assert!(
        tables
            .iter()
            .all(|t| t.regions > 0 && t.prices > 0 && read_date(&t.origin.date).is_some()),
        "{tables:?}"
    );
}

#[test]
fn defects_are_named_by_line_and_field() {
    let machines = |rows: &str| head("machines") + rows;
    let one = "region,name,linux/on_demand,linux/standard_1y\n";

    for (text, expected) in [
        (
            String::new(),
            "line 1: provider is missing: begin the file with a line \"# provider: ...\"",
        ),
        (
            machines("").replace("aws", "sky"),
            "line 1: provider must be aws, azure or gcp",
        ),
        (
            head("gadgets"),
            "line 2: kind must be machines, or for aws databases or units",
        ),
        (
            head("units").replace("aws", "gcp"),
            "line 2: kind must be machines, or for aws databases or units",
        ),
        (
            machines("").replace("2026-11-01", "yesterday"),
            "line 4: date must be like 2026-11-01 or 2026-11",
        ),
        (
            machines("").replace("2026-11-01", "2026-13"),
            "line 4: date must be like 2026-11-01 or 2026-11",
        ),
        (
            machines("").replace("AWS price list", ""),
            "line 3: source must have 1 to 100 characters",
        ),
        (machines("# date: 2026-10\n"), "line 5: date is there twice"),
        (
            machines("# currency: EUR\n"),
            "line 5: currency is not a field: provider, kind, source and date are",
        ),
        (
            machines(""),
            "line 5: region is missing: the file has no header",
        ),
        (
            machines(one),
            "line 5: region has no row below it with a price",
        ),
        (machines("name,region\n"), "line 5: region must be column 1"),
        (
            machines("region,name,beos/on_demand\n"),
            "line 5: beos/on_demand is not a column of machines",
        ),
        (
            machines("region,name,linux/spot,linux/spot\n"),
            "line 5: linux/spot is there twice",
        ),
        (
            machines("region,name,linux/standard_1y\n"),
            "line 5: linux/standard_1y needs the column linux/on_demand",
        ),
        (
            machines(&format!("{one}us-east-1,m5.large,0.1\n")),
            "line 6: linux/standard_1y ends a header of 4 columns, and the line has 3 cells",
        ),
        (
            machines(&format!("{one}us east,m5.large,0.1,\n")),
            "line 6: region \"us east\" is not a name",
        ),
        (
            machines(&format!("{one}us-east-1,,0.1,\n")),
            "line 6: name \"\" is not a name",
        ),
        (
            machines(&format!("{one}us-east-1,m5.large,free,\n")),
            "line 6: linux/on_demand \"free\" is not a price above 0 and at most 10000",
        ),
        (
            machines(&format!("{one}us-east-1,m5.large,NaN,\n")),
            "line 6: linux/on_demand \"NaN\" is not a price above 0 and at most 10000",
        ),
        (
            machines(&format!("{one}us-east-1,m5.large,-1,\n")),
            "line 6: linux/on_demand \"-1\" is not a price above 0 and at most 10000",
        ),
        (
            machines(&format!("{one}us-east-1,m5.large,0.1,0.1\n")),
            "line 6: linux/standard_1y 0.1 is not below a price on demand in the same row",
        ),
        (
            machines(&format!("{one}us-east-1,m5.large,,0.1\n")),
            "line 6: linux/standard_1y 0.1 is not below a price on demand in the same row",
        ),
        (
            machines(&format!(
                "{one}us-east-1,m5.large,0.1,\nus-east-1,m5.large,0.2,\n"
            )),
            "line 7: name m5.large of us-east-1 is in line 6 already",
        ),
        (
            head("units") + "region,name\n",
            "line 5: region and the other columns must be region,name,unit,from,usd",
        ),
        (
            head("units") + "region,name,unit,from,usd\neu-west-1,gp9,gib_month,0,1\n",
            "line 6: unit gp9 has no price by \"gib_month\" that Reeve reads",
        ),
        (
            head("units") + "region,name,unit,from,usd\neu-west-1,gp3,gib_month,0,-1\n",
            "line 6: usd \"-1\" is not a number from 0",
        ),
        (
            head("units")
                + "region,name,unit,from,usd\neu-west-1,gp3,gib_month,0,1\neu-west-1,gp3,gib_month,0,2\n",
            "line 7: from 0 of gp3, gib_month, eu-west-1 is there twice",
        ),
    ] {
        let error = PriceFile::parse(text.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }

    for (text, expected) in [
        (
            machines("region,name,windows/on_demand\nus-east-1,m5.large,137\n"),
            "line 6: windows/on_demand 137 is far from the bundled price of 0.188: prices are US dollars an hour",
        ),
        (
            machines("region,name,linux/on_demand\nus-east-1,m5.large,0.0009\n"),
            "line 6: linux/on_demand 0.0009 is far from the bundled price of 0.096: prices are US dollars an hour",
        ),
        (
            head("databases") + "region,name,mysql/on_demand\nus-east-1,db.m5.large,125\n",
            "line 6: mysql/on_demand 125 is far from the bundled price of 0.171: prices are US dollars an hour",
        ),
        (
            head("units") + "region,name,unit,from,usd\neu-west-1,gp3,gib_month,0,8.8\n",
            "line 6: usd 8.8 is far from the bundled price of 0.08: prices are US dollars by gib_month",
        ),
        (
            head("units") + "region,name,unit,from,usd\neu-west-1,io2,iops_month,32000,0.05\n",
            "line 5: from of the first tier of io2, iops_month, eu-west-1 must be 0",
        ),
    ] {
        assert_eq!(
            PriceFile::parse(text.as_bytes()).unwrap_err().to_string(),
            expected
        );
    }

    assert_eq!(
        PriceFile::parse(b"\xff").unwrap_err().to_string(),
        "line 1: file is not UTF-8 text"
    );

    let broken = PriceFile::parse(&[0x28, 0xb5, 0x2f, 0xfd, 1, 2])
        .unwrap_err()
        .to_string();
    assert!(
        broken.starts_with("line 1: file does not unpack"),
        "{broken}"
    );

    let bomb = zstd::encode_all(&vec![b'#'; MOST_BYTES + 1][..], 1).unwrap();
    assert_eq!(
        PriceFile::parse(&bomb).unwrap_err().to_string(),
        "line 1: file is larger than 64 MiB after unpacking"
    );
}

#[test]
fn prices_of_s3_are_imported_for_other_regions() {
    let rows = "region,name,unit,from,usd\n\
                moon-east-1,s3.STANDARD,gib_month,0,0.03\n\
                moon-east-1,s3.STANDARD,gib_month,51200,0.02\n\
                moon-east-1,s3.STANDARD_IA,gib_month,0,0.01\n";
    let c = catalogue([parse("units", rows).unwrap()]);
    let usd = |class, unit, amount| {
        c.bucket_usd("moon-east-1", class, unit, amount)
            .map(|(usd, _)| usd)
    };
    assert_eq!(usd("STANDARD", "gib_month", 100.0), Some(3.0));

    assert_eq!(
        usd("STANDARD", "gib_month", 51_300.0),
        Some(51_200.0 * 0.03 + 100.0 * 0.02),
        "the second tier"
    );

    assert_eq!(
        usd("STANDARD", "retrieved_gib", 1.0),
        Some(0.0),
        "a unit that the class does not charge"
    );

    assert_eq!(
        usd("STANDARD_IA", "transition", 1.0),
        None,
        "a row that the file lacks is not free"
    );

    let origin = c
        .bucket_usd("moon-east-1", "STANDARD", "gib_month", 1.0)
        .unwrap()
        .1;
    assert_eq!(origin.to_string(), "AWS price list of 2026-11-01");

    let bundled = |region| {
        c.bucket_usd(region, "STANDARD", "gib_month", 1.0)
            .map(|(usd, _)| usd)
    };

    assert_eq!(
        ["us-east-1", "eu-west-1", "eu-central-1"].map(bundled),
        [Some(0.023), Some(0.023), None],
        "what the file lacks stays"
    );

    let wrong = parse(
        "units",
        "region,name,unit,from,usd\nmoon-east-1,s3.STANDARD,hour,0,1\n",
    )
    .unwrap_err();

    assert!(
        wrong.to_string().contains("s3.STANDARD has no price by"),
        "{wrong}"
    );
}
