"""Tables."""


def table(name):
    made = client("dynamodb").create_table(
        TableName=name, KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}], BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
    )
    return made["TableDescription"]["TableArn"]


@change("enable_table_recovery")
def _():
    return table("unrecoverable")


@change("protect_table_from_deletion")
def _():
    return table("unprotected")


@change("encrypt_table")
def _():
    return table("common-key")
